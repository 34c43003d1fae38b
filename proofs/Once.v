(** Theorem (c): no acknowledged call is made again while its key is unchanged. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Ledger.
Import ListNotations.

Definition resting (p : path) (st : state) : Prop := is_active p st = false.

(** An event that is about another path, or only begins this one with the same key. *)
Definition keeps_key (p : path) (k : key) (e : event) : Prop :=
  match e with Begin q k' => q = p -> k' = k | _ => True end.

Lemma lookup_without : forall p q all, p <> q -> lookup p (without q all) = lookup p all.
Proof.
  induction all as [|[r k] rest IH]; simpl; [reflexivity|]. intro D.
  destruct (r =? q) eqn:E; simpl; destruct (r =? p) eqn:F; auto.
  apply Nat.eqb_eq in E, F. congruence.
Qed.

Lemma active_without : forall p q all,
  existsb (fun it : path * key => fst it =? p) all = false ->
  existsb (fun it => fst it =? p) (without q all) = false.
Proof.
  induction all as [|[r k] rest IH]; simpl; [reflexivity|]. intro H.
  apply orb_false_iff in H. destruct H as [A B].
  destruct (r =? q); simpl; [auto|]. now rewrite A, IH.
Qed.

Lemma not_this : forall p k all,
  existsb (fun it : path * key => fst it =? p) all = false -> existsb (is_this p k) all = false.
Proof.
  induction all as [|[r l] rest IH]; simpl; [reflexivity|]. intro H.
  apply orb_false_iff in H. destruct H as [A B]. unfold is_this at 1. simpl. rewrite A. simpl. auto.
Qed.

Lemma still_done : forall p k st e next,
  is_done p k st = true -> resting p st -> keeps_key p k e -> apply none st e = Some next ->
  is_done p k next = true /\ resting p next /\ e <> Begin p k.
Proof.
  unfold resting, is_done, is_active. intros p k st e next Done Rest Keeps Step.
  destruct e as [q k'|scs a|n a|q k'|q k'|lost|lost moved cs]; simpl in Step.
  - destruct (is_active q st || (is_done q k' st && true)) eqn:E; [discriminate|].
    inversion Step; subst; simpl. apply orb_false_iff in E. destruct E as [_ E].
    destruct (q =? p) eqn:Q.
    + apply Nat.eqb_eq in Q. subst q. specialize (Keeps eq_refl). subst k'.
      unfold is_done in E. rewrite Done in E. discriminate.
    + apply Nat.eqb_neq in Q. repeat split; auto. congruence.
  - destruct (_ || _); inversion Step; subst; repeat split; auto; discriminate.
  - destruct (_ <? _); [|discriminate]. destruct (settle_at _ _ _); inversion Step; subst.
    repeat split; auto; discriminate.
  - destruct (existsb (is_this q k') (active st)) eqn:E; [|discriminate].
    inversion Step; subst; simpl. destruct (q =? p) eqn:Q.
    + apply Nat.eqb_eq in Q. subst q. rewrite (not_this _ _ _ Rest) in E. discriminate.
    + repeat split; auto; [now apply active_without|discriminate].
  - destruct (existsb (is_this q k') (active st)) eqn:E; [|discriminate].
    inversion Step; subst; simpl. destruct (q =? p) eqn:Q.
    + apply Nat.eqb_eq in Q. subst q. rewrite (not_this _ _ _ Rest) in E. discriminate.
    + apply Nat.eqb_neq in Q. rewrite lookup_without by congruence.
      repeat split; auto; [now apply active_without|discriminate].
  - destruct (forallb _ lost); inversion Step; subst; repeat split; auto; discriminate.
  - destruct (forallb _ lost); inversion Step; subst; repeat split; auto; discriminate.
Qed.

Lemma never_begun : forall p k events st next,
  is_done p k st = true -> resting p st -> Forall (keeps_key p k) events ->
  replay none st events = Some next -> ~ In (Begin p k) events.
Proof.
  induction events as [|e rest IH]; simpl; intros st next Done Rest Keeps R; [tauto|].
  destruct (apply none st e) as [mid|] eqn:Step; [|discriminate].
  inversion Keeps; subst.
  destruct (still_done _ _ _ _ _ Done Rest H1 Step) as [D [A Other]].
  intros [Eq|In]; [congruence|]. exact (IH _ _ D A H2 R In).
Qed.

Lemma without_is_gone : forall p all,
  existsb (fun it : path * key => fst it =? p) (without p all) = false.
Proof.
  induction all as [|[q j] rest IH]; simpl; [reflexivity|].
  destruct (q =? p) eqn:Q; simpl; [exact IH|]. rewrite Q. exact IH.
Qed.

Lemma acknowledged : forall st p k next,
  apply none st (Ack p k) = Some next -> is_done p k next = true /\ resting p next.
Proof.
  unfold is_done, resting, is_active. simpl. intros st p k next Step.
  destruct (existsb (is_this p k) (active st)); [|discriminate]. inversion Step; subst; simpl.
  rewrite !Nat.eqb_refl. split; [reflexivity|apply without_is_gone].
Qed.

(** (c) Once the result of a call is on disk, the call does not begin again, over any kills,
    resumes and edits, as long as only this key is asked for at its place. *)
Theorem no_acknowledged_call_is_repeated : forall the_caps before p k after st,
  replay none (start the_caps) (before ++ Ack p k :: after) = Some st ->
  Forall (keeps_key p k) after -> ~ In (Begin p k) after.
Proof.
  intros the_caps before p k after st. generalize (start the_caps).
  induction before as [|e rest IH]; cbn [app replay]; intros now R Keeps.
  - destruct (apply none now (Ack p k)) as [mid|] eqn:Step; [|discriminate].
    destruct (acknowledged _ _ _ _ Step) as [Done Rest].
    eapply never_begun; eauto.
  - destruct (apply none now e) as [mid|]; [|discriminate]. eauto.
Qed.
