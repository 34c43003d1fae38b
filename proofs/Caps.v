(** Theorem (b). *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Ledger.
Import ListNotations.

(** What holds of each payment. *)
Definition sound (p : payment) : Prop :=
  (reported p = None -> counted p = None) /\
  (forall used, counted p = Some used -> reported p = Some used).

Definition kept (st : state) : Prop :=
  Forall sound (payments st) /\
  forall s cap, cap_of s st = Some cap ->
    sum worst s (payments st) <= Nat.max cap (base st s) + sum over s (payments st).

Lemma sum_le : forall (f g : payment -> nat) s all,
  Forall (fun p => f p <= g p) all -> sum f s all <= sum g s all.
Proof.
  induction 1; simpl; [lia|]. fold (sum f s l) (sum g s l). destruct (is_in s x); lia.
Qed.

Lemma sum_plus : forall (f g : payment -> nat) s all,
  sum (fun p => f p + g p) s all = sum f s all + sum g s all.
Proof.
  induction all; simpl; [lia|].
  fold (sum (fun p => f p + g p) s all) (sum f s all) (sum g s all). destruct (is_in s a); lia.
Qed.

(** A change of payments that keeps their scopes changes a sum like its parts. *)
Lemma sum_map : forall (f : payment -> nat) change s all,
  (forall p, scopes (change p) = scopes p) ->
  sum f s (map change all) = sum (fun p => f (change p)) s all.
Proof.
  intros f change s all Same. induction all; simpl; [reflexivity|].
  fold (sum f s (map change all)). rewrite IHall. unfold is_in. now rewrite Same.
Qed.

Lemma counts_le_worst : forall p, counts p <= worst p.
Proof. intro p. unfold worst. destruct (safe p), (reported p); lia. Qed.

Lemma secured_worst : forall p, sound p -> worst (secured p) <= worst p.
Proof.
  intros p _. unfold worst, secured, counts; simpl. destruct (safe p), (reported p); lia.
Qed.

(** After a commit, the worst that a payment can count is what it counts, and its excess. *)
Lemma secured_worst_counts : forall p, sound p -> worst (secured p) <= counts p + over p.
Proof.
  intros p [A B]. unfold worst, secured, counts, over; simpl.
  destruct (reported p) as [used|] eqn:R.
  - destruct (counted p) as [it|] eqn:C.
    + specialize (B _ eq_refl). inversion B. subst. lia.
    + lia.
  - lia.
Qed.

Lemma reread_worst : forall lost p, sound p -> worst (reread none lost p) <= worst p.
Proof.
  intros lost p [A B]. unfold worst, reread, counts; simpl.
  destruct lost, (safe p), (counted p) as [u|], (reported p) as [v|]; simpl; lia.
Qed.

Lemma reread_sound : forall lost p, sound p -> sound (reread none lost p).
Proof.
  intros lost p [A B]. unfold sound, reread; simpl.
  destruct lost, (safe p), (counted p) as [u|] eqn:C; simpl; split; intros;
    try discriminate; try congruence; auto.
Qed.

Lemma reread_all_sound : forall lost all, Forall sound all ->
  Forall sound (reread_all none lost all).
Proof. induction all; simpl; intros H; inversion H; subst; constructor; auto using reread_sound. Qed.

Lemma reread_all_sums : forall s lost all, Forall sound all ->
  sum worst s (reread_all none lost all) <= sum worst s all /\
  sum over s (reread_all none lost all) = sum over s all.
Proof.
  induction all as [|p rest IH]; simpl; intros H; [lia|]. inversion H; subst.
  destruct (IH H3) as [W O].
  fold (sum worst s (reread_all none lost rest)) (sum worst s rest).
  fold (sum over s (reread_all none lost rest)) (sum over s rest).
  pose proof (reread_worst (existsb (Nat.eqb (length rest)) lost) p H2).
  unfold is_in in *; simpl. unfold over at 1; simpl. fold (over p).
  destruct (existsb (Nat.eqb s) (scopes p)); lia.
Qed.

Lemma settle_at_sums : forall s amount all number after,
  Forall sound all -> settle_at number amount all = Some after ->
  Forall sound after /\
  sum worst s after + sum over s all <= sum worst s all + sum over s after.
Proof.
  induction all as [|p rest IH]; intros number after H E; [destruct number; discriminate|].
  simpl in *. inversion H; subst. destruct number as [|n]; simpl in E.
  - destruct (ended p) eqn:Ended; [discriminate|]. inversion E; subst; clear E.
    unfold ended in Ended. destruct (reported p) eqn:R; [discriminate|].
    split.
    + constructor; [|assumption]. unfold sound; simpl. split; congruence.
    + simpl. fold (sum worst s rest) (sum over s rest).
      unfold is_in; simpl. destruct H2 as [C _]. specialize (C R).
      unfold worst, over, counts; simpl. rewrite R, C.
      destruct (existsb (Nat.eqb s) (scopes p)), (safe p); lia.
  - destruct (settle_at n amount rest) as [next|] eqn:N; [|discriminate].
    inversion E; subst; clear E. destruct (IH _ _ H3 N) as [S W].
    split; [now constructor|]. simpl.
    fold (sum worst s next) (sum over s rest) (sum worst s rest) (sum over s next).
    destruct (is_in s p); lia.
Qed.

Lemma moved_sound : forall moved all, Forall sound all -> Forall sound (moved_all none moved all).
Proof. induction 1; simpl; constructor; auto. Qed.

Lemma secure_all_none : forall all, secure_all none all = map secured all.
Proof. reflexivity. Qed.

Lemma kept_step : forall st e next, kept st -> apply none st e = Some next -> kept next.
Proof.
  intros st e next [Sound Kept] Step. destruct e; simpl in Step.
  - destruct (is_active _ _ || _); inversion Step; subst. now split.
  - change (consulted none at_scopes) with at_scopes in Step.
    destruct ((amount =? 0) || forallb (fits st amount) at_scopes) eqn:Fits; [|discriminate].
    inversion Step; subst; clear Step. split; simpl; rewrite secure_all_none.
    + constructor; [now split; [|discriminate]|]. rewrite Forall_map.
      eapply Forall_impl; [|exact Sound]. intros p H; exact H.
    + intros s cap Cap. change (cap_of s st = Some cap) in Cap. specialize (Kept s cap Cap). unfold is_in at 1; simpl.
      unfold worst at 1, over at 1, counts; simpl.
      fold (sum worst s (map secured (payments st))) (sum over s (map secured (payments st))).
      rewrite !sum_map by reflexivity.
      assert (Over : sum (fun p => over (secured p)) s (payments st) = sum over s (payments st))
        by reflexivity.
      assert (Less : sum (fun p => worst (secured p)) s (payments st) <= sum worst s (payments st)).
      { apply sum_le. eapply Forall_impl; [|exact Sound]. apply secured_worst. }
      destruct (existsb (Nat.eqb s) at_scopes) eqn:Here; [|lia].
      apply orb_true_iff in Fits. destruct Fits as [Zero|Fits].
      { apply Nat.eqb_eq in Zero. subst. lia. }
      rewrite forallb_forall in Fits. apply existsb_exists in Here.
      destruct Here as [it [In Eq]]. apply Nat.eqb_eq in Eq. subst it. specialize (Fits s In).
      unfold fits in Fits. rewrite Cap in Fits. apply Nat.leb_le in Fits. unfold taken in Fits.
      assert (sum (fun p => worst (secured p)) s (payments st)
              <= sum counts s (payments st) + sum over s (payments st)).
      { rewrite <- sum_plus. apply sum_le. eapply Forall_impl; [|exact Sound].
        apply secured_worst_counts. }
      lia.
  - destruct (number <? length (payments st)); [|discriminate].
    destruct (settle_at _ amount (payments st)) as [after|] eqn:After; [|discriminate].
    inversion Step; subst; clear Step. split; simpl.
    + now destruct (settle_at_sums 0 _ _ _ _ Sound After).
    + intros s cap Cap. change (cap_of s st = Some cap) in Cap. specialize (Kept s cap Cap).
      destruct (settle_at_sums s _ _ _ _ Sound After). lia.
  - destruct (existsb _ (active st)); [|discriminate]. inversion Step; subst; clear Step.
    split; simpl; rewrite secure_all_none.
    + rewrite Forall_map. eapply Forall_impl; [|exact Sound]. intros p H; exact H.
    + intros s cap Cap. change (cap_of s st = Some cap) in Cap. specialize (Kept s cap Cap). rewrite !sum_map by reflexivity.
      assert (Less : sum (fun p => worst (secured p)) s (payments st) <= sum worst s (payments st)).
      { apply sum_le. eapply Forall_impl; [|exact Sound]. apply secured_worst. }
      assert (Over : sum (fun p => over (secured p)) s (payments st) = sum over s (payments st))
        by reflexivity.
      lia.
  - destruct (existsb _ (active st)); inversion Step; subst. now split.
  - destruct (forallb _ lost); [|discriminate].
    inversion Step; subst; clear Step. split; simpl; [now apply reread_all_sound|].
    intros s cap Cap. change (cap_of s st = Some cap) in Cap. specialize (Kept s cap Cap).
    destruct (reread_all_sums s lost _ Sound). lia.
  - destruct (forallb _ lost); [|discriminate]. inversion Step; subst; clear Step. split; simpl.
    + now apply moved_sound, reread_all_sound.
    + intros. lia.
Qed.

Lemma kept_start : forall the_caps, kept (start the_caps).
Proof. intro. split; simpl; [constructor|lia]. Qed.

Lemma kept_always : forall events st next,
  kept st -> replay none st events = Some next -> kept next.
Proof.
  induction events as [|e rest IH]; simpl; intros st next K R; [now inversion R; subst|].
  destruct (apply none st e) as [mid|] eqn:Step; [|discriminate].
  eapply IH; [|exact R]. eapply kept_step; eauto.
Qed.

(** What was ever reported under a scope, whether it is still on record or not. *)
Definition ever_reported (p : payment) : nat :=
  match reported p with Some used => used | None => 0 end.

(** (b) At every instant of a run, over all of its starts and edits: what is reserved and spent
    under a cap, and what was ever reported there, is within the cap, or within what was spent
    there when an edit set it, up to the excess of reports over their reservations. *)
Theorem every_cap_is_kept : forall the_caps events st s cap,
  replay none (start the_caps) events = Some st -> cap_of s st = Some cap ->
  taken s st <= Nat.max cap (base st s) + sum over s (payments st) /\
  sum ever_reported s (payments st) <= Nat.max cap (base st s) + sum over s (payments st).
Proof.
  intros the_caps events st s cap R Cap.
  destruct (kept_always _ _ _ (kept_start the_caps) R) as [Sound K]. specialize (K s cap Cap).
  assert (sum counts s (payments st) <= sum worst s (payments st)).
  { apply sum_le, Forall_forall. intros. apply counts_le_worst. }
  assert (sum ever_reported s (payments st) <= sum worst s (payments st)).
  { apply sum_le, Forall_forall. intros p _. unfold ever_reported, worst.
    destruct (reported p); lia. }
  unfold taken. lia.
Qed.

Definition is_edit (e : event) : bool := match e with Edit _ _ _ => true | _ => false end.

Lemma base_unedited : forall events st next,
  forallb (fun e => negb (is_edit e)) events = true -> replay none st events = Some next ->
  base next = base st /\ caps next = caps st.
Proof.
  induction events as [|e rest IH]; simpl; intros st next E R; [now inversion R; subst|].
  apply andb_true_iff in E. destruct E as [E Rest].
  destruct (apply none st e) as [mid|] eqn:Step; [|discriminate].
  destruct (IH _ _ Rest R) as [B C]. rewrite B, C.
  destruct e; simpl in Step, E; try discriminate E.
  - destruct (_ || _); now inversion Step.
  - destruct (_ || _); now inversion Step.
  - destruct (_ <? _); [|discriminate]. destruct (settle_at _ _ _); now inversion Step.
  - destruct (existsb _ _); now inversion Step.
  - destruct (existsb _ _); now inversion Step.
  - destruct (forallb _ lost); now inversion Step.
Qed.

(** (b) without edits: kills and resumes alone, as often as one likes, add nothing to a cap. *)
Theorem a_cap_survives_kills : forall the_caps events st s cap,
  forallb (fun e => negb (is_edit e)) events = true ->
  replay none (start the_caps) events = Some st -> lookup s the_caps = Some cap ->
  taken s st <= cap + sum over s (payments st) /\
  sum ever_reported s (payments st) <= cap + sum over s (payments st).
Proof.
  intros the_caps events st s cap E R Cap.
  destruct (base_unedited _ _ _ E R) as [B C].
  assert (Now : cap_of s st = Some cap) by (unfold cap_of; now rewrite C).
  pose proof (every_cap_is_kept _ _ _ _ _ R Now) as K. rewrite B in K. simpl in K. lia.
Qed.

(** (b) A cap that is passed funds nothing more, whatever made it so: an excess, or an edit. *)
Theorem a_passed_cap_funds_nothing : forall st at_scopes amount s cap,
  In s at_scopes -> cap_of s st = Some cap -> cap <= taken s st -> 0 < amount ->
  apply none st (Reserve at_scopes amount) = None.
Proof.
  intros st at_scopes amount s cap In Cap Full Some. simpl.
  assert (E : (amount =? 0) = false) by (apply Nat.eqb_neq; lia). rewrite E. simpl.
  assert (F : forallb (fits st amount) at_scopes = false).
  { apply not_true_is_false. intro T. rewrite forallb_forall in T. specialize (T s In).
    unfold fits in T. rewrite Cap in T. apply Nat.leb_le in T. lia. }
  unfold consulted. simpl. now rewrite F.
Qed.

Lemma moved_in_run : forall moved all,
  Forall (fun p => is_in 0 p = true) (moved_all none moved all).
Proof.
  induction all as [|p rest IH]; simpl; constructor; [|exact IH].
  unfold is_in; simpl. now destruct (nth (length rest) moved []).
Qed.

(** An edit never takes a payment off the account of the whole run. *)
Theorem an_edit_keeps_what_the_run_spent : forall st lost moved new_caps next,
  apply none st (Edit lost moved new_caps) = Some next ->
  Forall (fun p => is_in 0 p = true) (payments next).
Proof.
  intros st lost moved new_caps next Step. simpl in Step. destruct (forallb _ lost); [|discriminate].
  inversion Step; subst; simpl. apply moved_in_run.
Qed.
