(** Theorem (a): each start spends within the envelope computed for it. Theorem (d): a proven
    cap never refuses. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Program Steps.
Import ListNotations.

(** Every step pays for what it takes out of what remains. *)
Lemma step_rest : forall p l p', step p l p' ->
  match l with
  | Tau | Recall _ => rest p' <= rest p
  | Reserve _ most => most + rest p' <= rest p
  | Settle most used => used + rest p' <= rest p + most + (used - most)
  end.
Proof.
  induction 1; unfold idle in *; simpl in *; try (destruct l); try nia.
  - rewrite drained_rest. lia.
  - apply step_in_flight in H. lia.
  - apply step_in_flight in H. destruct H0; lia.
  - apply step_in_flight in H. lia.
  - apply step_in_flight in H. lia.
  - apply step_in_flight in H. lia.
Qed.

(** What is reserved and what is spent, with what remains. *)
Lemma run_rest : forall p ls p', run p ls p' ->
  spent ls + in_flight p' + rest p' <= in_flight p + rest p + excess ls.
Proof.
  induction 1; simpl; [lia|].
  pose proof (step_in_flight _ _ _ H). pose proof (step_rest _ _ _ H).
  destruct l; simpl; lia.
Qed.

(** (a) At every instant of a start, what is spent and what is reserved are together within the
    envelope, up to the excess of reports. [script] is any script with any earlier spending under
    its caps, so it may be a first run, a resumed one, or one of an edited script. *)
Theorem each_start_within_its_envelope : forall script ls state,
  idle script -> run script ls state ->
  spent ls + in_flight state <= envelope script + excess ls.
Proof.
  unfold idle. intros script ls state Idle Run.
  pose proof (run_rest _ _ _ Run). pose proof (rest_within_envelope script). lia.
Qed.

(** All starts of a run together: kills between them lose nothing and add nothing. *)
Inductive starts : list (prog * list label * prog) -> Prop :=
| no_start : starts []
| one_more : forall script ls state others,
    idle script -> run script ls state -> starts others -> starts ((script, ls, state) :: others).

Definition total (f : prog * list label * prog -> nat) (all : list (prog * list label * prog)) :=
  fold_right (fun it sum => f it + sum) 0 all.

Theorem all_starts_within_their_envelopes : forall all, starts all ->
  total (fun '(_, ls, state) => spent ls + in_flight state) all
  <= total (fun '(script, _, _) => envelope script) all + total (fun '(_, ls, _) => excess ls) all.
Proof.
  induction 1; simpl; [lia|].
  pose proof (each_start_within_its_envelope _ _ _ H H0). lia.
Qed.

(** Every cap that is called proven can pay for all that remains under it. *)
Fixpoint honest (p : prog) : Prop :=
  match p with
  | Done | Running _ => True
  | Call _ _ _ _ flow => honest flow
  | Seq a b | Par a b | Race a b | Fallback a b => honest a /\ honest b
  | Optional a | Each _ a => honest a
  | Repeat _ a b c | Choose a b c => honest a /\ honest b /\ honest c
  | Within proven cap before spent a =>
      honest a /\ (proven = true -> before + spent + in_flight a + rest a <= cap)
  end.

(** Some cap that is called proven cannot fund an attempt under it. *)
Inductive refuses : prog -> Prop :=
| refuses_here : forall c b s a effects most a',
    step a (Reserve effects most) a' -> ~ funds c b s a most -> refuses (Within true c b s a)
| refuses_within : forall v c b s a, refuses a -> refuses (Within v c b s a)
| refuses_seq : forall a b, refuses a -> refuses (Seq a b)
| refuses_par_left : forall a b, refuses a -> refuses (Par a b)
| refuses_par_right : forall a b, refuses b -> refuses (Par a b)
| refuses_race_left : forall a b, refuses a -> refuses (Race a b)
| refuses_race_right : forall a b, refuses b -> refuses (Race a b)
| refuses_optional : forall a, refuses a -> refuses (Optional a)
| refuses_choose : forall a b c, refuses a -> refuses (Choose a b c)
| refuses_fallback : forall a b, refuses a -> refuses (Fallback a b).

Lemma honest_drained : forall p, honest p -> honest (drained p).
Proof.
  induction p; simpl; try tauto.
  intros [H1 H2]. rewrite drained_in_flight, drained_rest. split; [tauto|].
  intro V. specialize (H2 V). lia.
Qed.

(** Reports stay within their reservations, and nothing was paid for before this start. *)
Definition is_plain (l : label) : Prop :=
  match l with
  | Tau | Reserve _ _ => True
  | Settle most used => used <= most
  | Recall _ => False
  end.

Lemma honest_step : forall p l p', step p l p' -> is_plain l -> honest p -> honest p'.
Proof.
  induction 1; intros Plain Honest; simpl in *; try tauto.
  - now apply honest_drained.
  - pose proof (step_in_flight _ _ _ H). pose proof (step_rest _ _ _ H). simpl in *.
    destruct Honest as [A B]. split; [tauto|]. intro V. specialize (B V). lia.
  - pose proof (step_in_flight _ _ _ H). pose proof (step_rest _ _ _ H). simpl in *.
    destruct Honest as [A B]. split; [tauto|]. intro V. specialize (B V). lia.
  - pose proof (step_in_flight _ _ _ H). pose proof (step_rest _ _ _ H). simpl in *.
    destruct Honest as [A B]. split; [tauto|]. intro V. specialize (B V). lia.
Qed.

Lemma honest_never_refuses : forall p, honest p -> ~ refuses p.
Proof.
  intros p H R. induction R; simpl in *; try tauto.
  destruct H as [_ H]. specialize (H eq_refl).
  pose proof (step_rest _ _ _ H0). simpl in *. apply H1. right. lia.
Qed.

Lemma planned_idle : forall p, idle (planned p).
Proof. unfold idle. induction p; simpl; lia. Qed.

Lemma planned_honest : forall p, honest (planned p).
Proof.
  induction p; simpl; try tauto.
  split; [assumption|]. unfold is_proven. intro V. apply Nat.leb_le in V.
  pose proof (rest_within_envelope (planned p)). rewrite (planned_idle p). lia.
Qed.

(** (d) From a first start, with reports within their reservations, no cap that the plan calls
    proven refuses an attempt. *)
Theorem a_proven_cap_never_refuses : forall script ls state,
  run (planned script) ls state -> Forall is_plain ls -> ~ refuses state.
Proof.
  intros script ls state Run Plain. apply honest_never_refuses.
  pose proof (planned_honest script) as Honest. revert Plain Honest.
  generalize dependent (planned script). induction 1 as [|p l p' ls p'' Step Run IH];
    intros Plain Honest; [assumption|].
  inversion Plain; subst. apply IH; [assumption|]. eapply honest_step; eauto.
Qed.

(** (d) for any start: what was spent earlier under a proven cap must leave room for the whole
    estimate. Otherwise it may refuse: an attempt that a kill has cut off counts in full, and is
    made again. *)
Theorem a_cap_with_room_never_refuses : forall script ls state,
  honest script -> run script ls state -> Forall is_plain ls -> ~ refuses state.
Proof.
  intros script ls state Honest Run Plain. apply honest_never_refuses. revert Honest Plain.
  induction Run as [|p l p' ls p'' Step Run IH]; intros Honest Plain; [assumption|].
  inversion Plain; subst. apply IH; [|assumption]. eapply honest_step; eauto.
Qed.
