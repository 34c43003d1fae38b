(** Caps inside of caps. An attempt that asks for more than a cap around it never begins, so the
    planner counts each attempt as at most the tightest of the caps around a cap when it judges that
    one. [around] is this number; [None] is no cap.

    The planner does so for tokens, where a model is asked for at most what a cap leaves. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Program Steps Envelope.
Import ListNotations.

Definition least (around : option nat) (most : nat) : nat :=
  match around with
  | None => most
  | Some cap => Nat.min most cap
  end.

(** What is around the body of a cap. *)
Definition narrow (around : option nat) (cap : nat) : option nat := Some (least around cap).

Definition fits (around : option nat) (most : nat) : Prop := least around most = most.

Lemma fits_narrow : forall around cap most,
  fits around most -> most <= cap -> fits (narrow around cap) most.
Proof. unfold fits, narrow, least. intros [c|] cap most H L; lia. Qed.

(** As [rest], with attempts that fit what is around them. *)
Fixpoint rest_in (around : option nat) (p : prog) : nat :=
  match p with
  | Done | Running _ => 0
  | Call _ most tries calls flow => tries * (least around most + calls * rest_in around flow)
  | Seq a b | Par a b | Race a b | Fallback a b => rest_in around a + rest_in around b
  | Optional a => rest_in around a
  | Each items body => items * rest_in around body
  | Repeat turns until body otherwise =>
      (turns + 1) * rest_in around until + turns * rest_in around body + rest_in around otherwise
  | Choose value one other =>
      rest_in around value + Nat.max (rest_in around one) (rest_in around other)
  | Within _ cap before spent body =>
      Nat.min (rest_in (narrow around cap) body) (cap - (before + spent + in_flight body))
  end.

(** As [envelope]. *)
Fixpoint envelope_in (around : option nat) (p : prog) : nat :=
  match p with
  | Done | Running _ => 0
  | Call _ most tries calls flow => tries * (least around most + calls * envelope_in around flow)
  | Seq a b | Par a b | Race a b | Fallback a b => envelope_in around a + envelope_in around b
  | Optional a => envelope_in around a
  | Each items body => items * envelope_in around body
  | Repeat turns until body otherwise =>
      (turns + 1) * envelope_in around until + turns * envelope_in around body
      + envelope_in around otherwise
  | Choose value one other =>
      envelope_in around value + Nat.max (envelope_in around one) (envelope_in around other)
  | Within _ cap _ _ body => Nat.min (envelope_in (narrow around cap) body) cap
  end.

(** A script as it starts, with the verdicts of the plan. *)
Fixpoint planned_in (around : option nat) (p : prog) : prog :=
  match p with
  | Done | Running _ => Done
  | Call effects most tries calls flow => Call effects most tries calls (planned_in around flow)
  | Seq a b => Seq (planned_in around a) (planned_in around b)
  | Par a b => Par (planned_in around a) (planned_in around b)
  | Race a b => Race (planned_in around a) (planned_in around b)
  | Fallback a b => Fallback (planned_in around a) (planned_in around b)
  | Optional a => Optional (planned_in around a)
  | Each items a => Each items (planned_in around a)
  | Repeat turns a b c =>
      Repeat turns (planned_in around a) (planned_in around b) (planned_in around c)
  | Choose a b c => Choose (planned_in around a) (planned_in around b) (planned_in around c)
  | Within _ cap _ _ a =>
      let body := planned_in (narrow around cap) a in
      Within (envelope_in around body <=? cap) cap 0 0 body
  end.

Lemma drained_rest_in : forall p around, rest_in around (drained p) = 0.
Proof.
  induction p; intro around; simpl;
    repeat match goal with H : forall around, rest_in around _ = 0 |- _ => rewrite H; clear H end;
    lia.
Qed.

Lemma rest_in_within_envelope_in : forall p around, rest_in around p <= envelope_in around p.
Proof.
  induction p; intro around; simpl; try lia.
  - apply Nat.mul_le_mono_l. apply Nat.add_le_mono_l. now apply Nat.mul_le_mono_l.
  - specialize (IHp1 around). specialize (IHp2 around). lia.
  - specialize (IHp1 around). specialize (IHp2 around). lia.
  - specialize (IHp1 around). specialize (IHp2 around). lia.
  - apply IHp.
  - now apply Nat.mul_le_mono_l.
  - apply Nat.add_le_mono; [apply Nat.add_le_mono|]; auto; now apply Nat.mul_le_mono_l.
  - specialize (IHp1 around). specialize (IHp2 around). specialize (IHp3 around). lia.
  - specialize (IHp1 around). specialize (IHp2 around). lia.
  - specialize (IHp (narrow around cap)). lia.
Qed.

Definition fits_around (around : option nat) (l : label) : Prop :=
  match l with
  | Reserve _ most => fits around most
  | Tau | Settle _ _ | Recall _ => True
  end.

(** Every step pays for what it takes out of what remains, as in [step_rest]. *)
Lemma step_rest_in : forall p l p', step p l p' -> forall around, fits_around around l ->
  match l with
  | Tau | Recall _ => rest_in around p' <= rest_in around p
  | Reserve _ most => most + rest_in around p' <= rest_in around p
  | Settle most used => used + rest_in around p' <= rest_in around p + most + (used - most)
  end.
Proof.
  induction 1; intros around Fits; unfold idle in *; simpl in *;
    try (pose proof (IHstep around Fits)); try (destruct l); simpl in *; try nia.
  - unfold fits in Fits. rewrite Fits. lia.
  - rewrite drained_rest_in. lia.
  - specialize (IHstep (narrow around c) I). apply step_in_flight in H. lia.
  - assert (most <= c) as Fund by (destruct H0; lia).
    specialize (IHstep (narrow around c) (fits_narrow _ _ _ Fits Fund)).
    apply step_in_flight in H. destruct H0; lia.
  - specialize (IHstep (narrow around c) I). apply step_in_flight in H. lia.
  - specialize (IHstep (narrow around c) I). apply step_in_flight in H. lia.
  - specialize (IHstep (narrow around c) I). apply step_in_flight in H. lia.
Qed.

(** Every cap that is called proven can pay for all that remains under it and fits around it. *)
Fixpoint honest_in (around : option nat) (p : prog) : Prop :=
  match p with
  | Done | Running _ => True
  | Call _ _ _ _ flow => honest_in around flow
  | Seq a b | Par a b | Race a b | Fallback a b => honest_in around a /\ honest_in around b
  | Optional a | Each _ a => honest_in around a
  | Repeat _ a b c | Choose a b c =>
      honest_in around a /\ honest_in around b /\ honest_in around c
  | Within proven cap before spent a =>
      honest_in (narrow around cap) a /\
      (proven = true -> before + spent + in_flight a + rest_in around a <= cap)
  end.

(** Some cap that is called proven cannot fund an attempt under it that fits the caps around it. *)
Inductive refuses_in : option nat -> prog -> Prop :=
| in_here : forall around c b s a effects most a',
    step a (Reserve effects most) a' -> fits around most -> ~ funds c b s a most ->
    refuses_in around (Within true c b s a)
| in_within : forall around v c b s a,
    refuses_in (narrow around c) a -> refuses_in around (Within v c b s a)
| in_seq : forall around a b, refuses_in around a -> refuses_in around (Seq a b)
| in_par_left : forall around a b, refuses_in around a -> refuses_in around (Par a b)
| in_par_right : forall around a b, refuses_in around b -> refuses_in around (Par a b)
| in_race_left : forall around a b, refuses_in around a -> refuses_in around (Race a b)
| in_race_right : forall around a b, refuses_in around b -> refuses_in around (Race a b)
| in_optional : forall around a, refuses_in around a -> refuses_in around (Optional a)
| in_choose : forall around a b c, refuses_in around a -> refuses_in around (Choose a b c)
| in_fallback : forall around a b, refuses_in around a -> refuses_in around (Fallback a b).

Lemma honest_in_drained : forall p around, honest_in around p -> honest_in around (drained p).
Proof.
  induction p; intro around; simpl; try tauto; try (intuition auto; fail).
  intros [H1 H2]. rewrite drained_in_flight, drained_rest_in. split; [auto|].
  intro V. specialize (H2 V). lia.
Qed.

Lemma honest_in_step : forall p l p', step p l p' -> is_plain l ->
  forall around, fits_around around l -> honest_in around p -> honest_in around p'.
Proof.
  induction 1; intros Plain around Fits Honest; simpl in *; try tauto;
    try (intuition auto; fail).
  - now apply honest_in_drained.
  - pose proof (step_in_flight _ _ _ H). pose proof (step_rest_in _ _ _ H around I).
    simpl in *. destruct Honest as [A B]. split; [now apply IHstep|].
    intro V. specialize (B V). lia.
  - pose proof (step_in_flight _ _ _ H). pose proof (step_rest_in _ _ _ H around Fits).
    simpl in *. destruct Honest as [A B].
    assert (most <= c) as Fund by (destruct H0; lia).
    split; [apply IHstep; auto; now apply fits_narrow|]. intro V. specialize (B V). lia.
  - pose proof (step_in_flight _ _ _ H). pose proof (step_rest_in _ _ _ H around I).
    simpl in *. destruct Honest as [A B]. split; [now apply IHstep|].
    intro V. specialize (B V). lia.
Qed.

Lemma honest_in_never_refuses : forall around p, honest_in around p -> ~ refuses_in around p.
Proof.
  intros around p H R. induction R; simpl in *; try tauto.
  destruct H as [_ H]. specialize (H eq_refl).
  pose proof (step_rest_in _ _ _ H0 around H1). simpl in *. apply H2. right. lia.
Qed.

Lemma planned_in_idle : forall p around, idle (planned_in around p).
Proof.
  unfold idle. induction p; intro around; simpl;
    repeat match goal with
    | H : forall around, in_flight (planned_in around _) = 0 |- _ => rewrite H; clear H
    end; lia.
Qed.

Lemma planned_in_honest : forall p around, honest_in around (planned_in around p).
Proof.
  induction p; intro around; simpl; auto.
  split; [auto|]. intro V. apply Nat.leb_le in V.
  pose proof (rest_in_within_envelope_in (planned_in (narrow around cap) p) around).
  pose proof (planned_in_idle p (narrow around cap)). unfold idle in *. lia.
Qed.

(** (d) with caps inside of caps: from a first start, with reports within their reservations, no cap
    that the plan calls proven refuses an attempt that the caps around it could fund. *)
Theorem a_cap_proven_inside_others_never_refuses : forall script ls state,
  run (planned_in None script) ls state -> Forall is_plain ls -> ~ refuses_in None state.
Proof.
  intros script ls state Run Plain. apply honest_in_never_refuses.
  pose proof (planned_in_honest script None) as Honest. revert Plain Honest.
  generalize dependent (planned_in None script).
  induction 1 as [|p l p' ls p'' Step Run IH]; intros Plain Honest; [assumption|].
  inversion Plain; subst. apply IH; [assumption|].
  eapply honest_in_step; eauto. destruct l; simpl; unfold fits; auto.
Qed.
