(** The steps of a script and the ledger: every attempt that a run of [Steps] begins under a cap is
    one that [Ledger] accepts, and both count the same. So what (a) says of the steps and what (b)
    says of the ledger hold of the same run, in each of its starts. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Program Steps Envelope.
From Svc Require Import Caps.
From Svc Require Ledger.
Import ListNotations.

Definition one (most n : nat) : nat := if most =? n then 1 else 0.

(** The attempts in flight with the reservation [n]; those of parts that run several times count as
    often. *)
Fixpoint flying (n : nat) (p : prog) : nat :=
  match p with
  | Done => 0
  | Running most => one most n
  | Call _ _ tries calls flow => tries * (calls * flying n flow)
  | Seq a b | Par a b | Race a b | Fallback a b => flying n a + flying n b
  | Optional a | Within _ _ _ _ a => flying n a
  | Each items a => items * flying n a
  | Repeat turns u a o => (turns + 1) * flying n u + turns * flying n a + flying n o
  | Choose v a b => flying n v + flying n a + flying n b
  end.

Lemma drained_flying : forall n p, flying n (drained p) <= flying n p.
Proof. induction p; simpl; lia. Qed.

Lemma planned_flying : forall n p, flying n (planned p) = 0.
Proof. induction p; simpl; nia. Qed.

(** An attempt without a reservation may be forgotten while it is in flight. *)
Lemma step_flying : forall p l p' n, step p l p' ->
  match l with
  | Tau | Recall _ => flying n p' <= flying n p
  | Reserve _ most => flying n p' <= flying n p + one most n
  | Settle most _ => flying n p' + one most n <= flying n p
  end.
Proof.
  induction 1; simpl in *; try (destruct l); try nia. apply drained_flying.
Qed.

Section Cap.
Variable s : Ledger.scope.

(** A payment of an attempt that has reported nothing yet. *)
Definition waits (n : nat) (p : Ledger.payment) : nat :=
  if negb (Ledger.ended p) && Ledger.is_in s p
     && match Ledger.counted p with None => true | Some _ => false end
  then one (Ledger.most p) n else 0.

Definition waiting (n : nat) (all : list Ledger.payment) : nat :=
  fold_right (fun p total => waits n p + total) 0 all.

Lemma secured_waiting : forall n all, waiting n (map Ledger.secured all) = waiting n all.
Proof. induction all; simpl; [reflexivity|]. rewrite IHall. reflexivity. Qed.

Lemma sum_cons : forall f p rest, Ledger.sum f s (p :: rest)
  = (if Ledger.is_in s p then f p else 0) + Ledger.sum f s rest.
Proof. reflexivity. Qed.

Lemma secured_counts : forall all,
  Ledger.sum Ledger.counts s (map Ledger.secured all) = Ledger.sum Ledger.counts s all.
Proof.
  induction all as [|p rest IH]; [reflexivity|]. unfold Ledger.sum in *. simpl. rewrite IH.
  reflexivity.
Qed.

(** A report has a payment that it belongs to. *)
Lemma a_report_has_a_payment : forall most used all, 0 < waiting most all ->
  exists idx after, idx < length all /\ Ledger.settle_at idx used all = Some after /\
    length after = length all /\
    (forall n, waiting n after + one most n = waiting n all) /\
    Ledger.sum Ledger.counts s after + most = Ledger.sum Ledger.counts s all + used.
Proof.
  induction all as [|p rest IH]; simpl; [lia|]. intro Some.
  destruct (Nat.eq_dec (waits most p) 0) as [None|This].
  - rewrite None in Some. destruct (IH Some) as [idx [after [In [At [Len [Waits Sum]]]]]].
    exists (S idx), (p :: after). simpl. rewrite At. simpl.
    refine (conj _ (conj eq_refl (conj _ (conj _ _)))); [lia|lia| |].
    + intro n. specialize (Waits n). lia.
    + unfold Ledger.sum in *. lia.
  - exists 0, (Ledger.settled used p :: rest). simpl.
    unfold waits in This.
    destruct (Ledger.ended p) eqn:Ended; [simpl in This; lia|].
    destruct (Ledger.is_in s p) eqn:Here; [|simpl in This; lia].
    destruct (Ledger.counted p) eqn:Counted; [simpl in This; lia|].
    simpl in This. unfold one in This.
    destruct (Ledger.most p =? most) eqn:Same; [|lia]. apply Nat.eqb_eq in Same. subst most.
    refine (conj _ (conj eq_refl (conj eq_refl (conj _ _)))); [lia| |].
    + intro n. unfold waits at 1. rewrite Ended, Here, Counted. simpl. lia.
    + unfold Ledger.sum. unfold Ledger.is_in in *. simpl. rewrite Here.
      unfold Ledger.counts at 1 3. rewrite Counted. simpl. lia.
Qed.

(** The requests of a run to the account of one cap. *)
Inductive requests : list label -> list Ledger.event -> Prop :=
| no_request : requests [] []
| no_money : forall ls es, requests ls es -> requests (Tau :: ls) es
| asks : forall effects most ls es,
    requests ls es -> requests (Reserve effects most :: ls) (Ledger.Reserve [s] most :: es)
| reports : forall most used number ls es,
    requests ls es -> requests (Settle most used :: ls) (Ledger.Settle number used :: es).

Definition recalls (l : label) : bool := match l with Recall _ => true | _ => false end.

(** The ledger knows of the same amounts as the account of a step, and of every attempt. *)
Definition agree (p : prog) (st : Ledger.state) : Prop :=
  match p with
  | Within _ cap before spent body =>
      Ledger.cap_of s st = Some cap /\
      Ledger.taken s st = before + spent + in_flight body /\
      forall n, flying n body <= waiting n (Ledger.payments st)
  | _ => False
  end.

Lemma a_step_is_accepted : forall p l p' st, agree p st -> step p l p' -> recalls l = false ->
  exists es next, requests [l] es /\ Ledger.replay Ledger.none st es = Some next /\ agree p' next.
Proof.
  intros p l p' st Agree Step Plain. destruct p; try contradiction.
  destruct Agree as [Cap [Taken Flying]].
  inversion Step; subst; simpl in Plain; try discriminate.
  - exists [], st. repeat constructor; auto; simpl.
    + now rewrite drained_in_flight.
    + intro n. pose proof (drained_flying n p). specialize (Flying n). lia.
  - exists [], st. pose proof (step_in_flight _ _ _ H6). simpl in H.
    repeat constructor; auto; simpl; [lia|].
    intro n. pose proof (step_flying _ _ _ n H6). simpl in H0. specialize (Flying n). lia.
  - pose proof (step_in_flight _ _ _ H6) as Flight. simpl in Flight.
    unfold Ledger.taken in Taken.
    assert (Fits : (most =? 0) || (Ledger.fits st most s && true) = true).
    { destruct H7 as [Zero|Room]; [subst; reflexivity|]. apply orb_true_iff. right.
      rewrite andb_true_r. unfold Ledger.fits, Ledger.taken. rewrite Cap. apply Nat.leb_le. lia. }
    eexists [_], _. split; [repeat constructor|]. simpl. rewrite Fits. split; [reflexivity|].
    repeat split; simpl; auto.
    + unfold Ledger.taken, Ledger.with_payments. cbn [Ledger.payments].
      change (Ledger.secure_all Ledger.none (Ledger.payments st))
        with (map Ledger.secured (Ledger.payments st)).
      rewrite sum_cons, secured_counts. unfold Ledger.is_in. simpl. rewrite Nat.eqb_refl.
      unfold Ledger.counts at 1. simpl. lia.
    + intro n. change (flying n a' <= waits n {| Ledger.scopes := [s]; Ledger.most := most;
        Ledger.counted := None; Ledger.safe := true; Ledger.reported := None; Ledger.open := true |}
        + waiting n (map Ledger.secured (Ledger.payments st))).
      rewrite secured_waiting. specialize (Flying n).
      pose proof (step_flying _ _ _ n H6) as Less. simpl in Less.
      unfold waits, Ledger.is_in. simpl. rewrite Nat.eqb_refl. simpl. lia.
  - pose proof (step_in_flight _ _ _ H6) as Flight. simpl in Flight.
    unfold Ledger.taken in Taken.
    assert (Some : 0 < waiting most (Ledger.payments st)).
    { pose proof (step_flying _ _ _ most H6) as Less. simpl in Less. unfold one in Less.
      rewrite Nat.eqb_refl in Less. specialize (Flying most). lia. }
    destruct (a_report_has_a_payment most used _ Some) as [idx [after [In [At [Len [Waits Sum]]]]]].
    eexists [Ledger.Settle (length (Ledger.payments st) - 1 - idx) used], _.
    split; [repeat constructor|]. simpl.
    assert (Number : length (Ledger.payments st) - 1 - idx <? length (Ledger.payments st) = true)
      by (apply Nat.ltb_lt; lia).
    rewrite Number.
    replace (length (Ledger.payments st) - 1 - (length (Ledger.payments st) - 1 - idx)) with idx by lia.
    rewrite At. simpl. split; [reflexivity|]. repeat split; simpl; auto.
    + unfold Ledger.taken. simpl. lia.
    + intro n. specialize (Flying n). specialize (Waits n).
      pose proof (step_flying _ _ _ n H6) as Less. simpl in Less. lia.
Qed.

Lemma requests_app : forall l ls es es', requests [l] es -> requests ls es' ->
  requests (l :: ls) (es ++ es').
Proof.
  intros l ls es es' One Others. inversion One; subst; inversion H0 || inversion H3 || inversion H2;
    subst; simpl; now constructor.
Qed.

Lemma caps_stay : forall ls es st next, requests ls es ->
  Ledger.replay Ledger.none st es = Some next -> Ledger.caps next = Ledger.caps st.
Proof.
  intros ls es st next Asked Replayed. eapply base_unedited; [|exact Replayed].
  clear Replayed. induction Asked; simpl; auto.
Qed.

Lemma replay_app : forall es es' st mid last,
  Ledger.replay Ledger.none st es = Some mid -> Ledger.replay Ledger.none mid es' = Some last ->
  Ledger.replay Ledger.none st (es ++ es') = Some last.
Proof.
  induction es as [|e rest IH]; simpl; intros es' st mid last A B; [now inversion A; subst|].
  destruct (Ledger.apply Ledger.none st e); [|discriminate]. eapply IH; eauto.
Qed.

(** In any start, from whatever earlier starts have left under a cap, the ledger accepts every
    request of the run, and its account is that of the steps. Results that are paid for elsewhere
    ([Recall]) are left out: the ledger has them among its payments. *)
Theorem the_ledger_accepts_every_start : forall proven cap script ls state st,
  Ledger.cap_of s st = Some cap ->
  run (Within proven cap (Ledger.taken s st) 0 (planned script)) ls state ->
  forallb (fun l => negb (recalls l)) ls = true ->
  exists es next, requests ls es /\ Ledger.replay Ledger.none st es = Some next /\ agree state next.
Proof.
  intros proven cap script ls state st Cap Run Plain.
  assert (Agree : agree (Within proven cap (Ledger.taken s st) 0 (planned script)) st).
  { repeat split; [assumption| |].
    - rewrite (planned_idle script). lia.
    - intro n. rewrite planned_flying. lia. }
  clear Cap. remember (Within _ _ _ _ _) as p eqn:Begin. clear Begin. revert st Agree.
  induction Run as [p|p l p' ls p'' Step Run IH]; intros st Agree.
  - exists [], st. repeat constructor. assumption.
  - simpl in Plain. apply andb_true_iff in Plain. destruct Plain as [This Rest].
    destruct (a_step_is_accepted _ _ _ _ Agree Step) as [es [mid [A [B C]]]].
    { now apply negb_true_iff. }
    destruct (IH Rest mid C) as [es' [last [D [E F]]]].
    exists (es ++ es'), last. split; [now apply requests_app|]. split; [|assumption].
    eapply replay_app; eauto.
Qed.

(** (a) and (b) of one run: a start after any number of others, with kills and edits between them,
    is within its envelope, and what all of them have taken under the cap is within the cap. *)
Corollary a_and_b_hold_of_one_run : forall the_caps events st proven cap script ls state,
  Ledger.replay Ledger.none (Ledger.start the_caps) events = Some st ->
  Ledger.cap_of s st = Some cap ->
  run (Within proven cap (Ledger.taken s st) 0 (planned script)) ls state ->
  forallb (fun l => negb (recalls l)) ls = true ->
  exists es next, requests ls es /\
    Ledger.replay Ledger.none (Ledger.start the_caps) (events ++ es) = Some next /\
    spent ls + in_flight state <= envelope (planned script) + excess ls /\
    Ledger.taken s next
      <= Nat.max cap (Ledger.base next s) + Ledger.sum Ledger.over s (Ledger.payments next).
Proof.
  intros the_caps events st proven cap script ls state Before Cap Run Plain.
  destruct (the_ledger_accepts_every_start _ _ _ _ _ _ Cap Run Plain) as [es [next [A [B C]]]].
  exists es, next. split; [assumption|]. pose proof (replay_app _ _ _ _ _ Before B) as All.
  split; [assumption|]. split.
  - pose proof (each_start_within_its_envelope _ _ _ (planned_idle script : idle (Within proven cap
      (Ledger.taken s st) 0 (planned script))) Run) as Within. simpl in Within. lia.
  - destruct state; try contradiction. destruct C as [Now [Taken _]].
    assert (Same : Ledger.cap_of s next = Some cap) by (rewrite <- Cap;
      unfold Ledger.cap_of; f_equal; eapply caps_stay; eauto).
    now destruct (every_cap_is_kept _ _ _ _ _ All Same).
Qed.

End Cap.

(** Under several caps, an attempt is accepted if and only if each of them accepts it alone: so the
    theorem above speaks about each cap of a script. *)
Theorem caps_are_asked_one_by_one : forall st at_scopes amount,
  (exists next, Ledger.apply Ledger.none st (Ledger.Reserve at_scopes amount) = Some next) <->
  Forall (fun s => exists next,
    Ledger.apply Ledger.none st (Ledger.Reserve [s] amount) = Some next) at_scopes \/ amount = 0.
Proof.
  intros st at_scopes amount. simpl. unfold Ledger.consulted. simpl.
  destruct (amount =? 0) eqn:Zero; simpl.
  { apply Nat.eqb_eq in Zero. split; intro; [now right|eauto]. }
  apply Nat.eqb_neq in Zero.
  destruct (forallb (Ledger.fits st amount) at_scopes) eqn:Fits.
  - split; [|eauto]. intros _. left. rewrite forallb_forall in Fits. apply Forall_forall.
    intros s In. rewrite (Fits s In). simpl. eauto.
  - split; [intros [? Bad]; discriminate|]. intros [All|]; [|contradiction]. exfalso.
    assert (forallb (Ledger.fits st amount) at_scopes = true); [|congruence].
    apply forallb_forall. intros s In. rewrite Forall_forall in All.
    destruct (All s In) as [next Step]. destruct (Ledger.fits st amount s); [reflexivity|discriminate].
Qed.
