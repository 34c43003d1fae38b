(** Theorem (e): the effects that happen are a subset of the plan's. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Program Steps.
Import ListNotations.

Lemma drained_effects : forall p, incl (effects_of (drained p)) (effects_of p).
Proof.
  induction p; simpl; auto using incl_nil_l, incl_app_app, incl_appl.
Qed.

Definition happen (l : label) : list effect :=
  match l with Reserve effects _ => effects | _ => [] end.

Lemma step_effects : forall p l p', step p l p' ->
  incl (happen l) (effects_of p) /\ incl (effects_of p') (effects_of p).
Proof.
  induction 1; simpl in *; split;
    try (destruct IHstep); try apply drained_effects;
    unfold incl in *; simpl in *; intros it; repeat rewrite in_app_iff; firstorder.
Qed.

(** (e) *)
Theorem effects_are_planned : forall script ls state,
  run script ls state -> forall l, In l ls -> incl (happen l) (effects_of script).
Proof.
  induction 1; simpl; [tauto|].
  destruct (step_effects _ _ _ H) as [Now Later].
  intros it [<-|In]; [assumption|].
  eapply incl_tran; [now apply IHrun|assumption].
Qed.
