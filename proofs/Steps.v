(** Steps: what the world and the engine can do next, in any order.

    The world decides everything that is not money: each step is possible whenever its rule
    fits, so failures, timeouts, cancelled branches and reused results may happen anywhere. There
    are more runs here than the engine allows; what holds for all of them holds for its own. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Program.
Import ListNotations.

Inductive label : Type :=
| Tau
  (** An attempt begins: its effects happen, and its maximum is reserved. *)
| Reserve (effects : list effect) (most : nat)
  (** An attempt ends, or is given up: its reservation is replaced by what is reported. *)
| Settle (most used : nat)
  (** A reused result was paid for elsewhere, and counts under the caps here from now on. *)
| Recall (amount : nat).

Definition funds (cap before spent : nat) (body : prog) (most : nat) : Prop :=
  most = 0 \/ before + spent + in_flight body + most <= cap.

Inductive step : prog -> label -> prog -> Prop :=
| attempt_begins : forall effects most tries calls flow,
    step (Call effects most (S tries) calls flow) (Reserve effects most)
         (Seq (Par (Running most) (Each calls flow)) (Call effects most tries calls flow))
| attempt_ends : forall most used, step (Running most) (Settle most used) Done
  (** It fails, is cancelled, has lost a race, is not needed, or its result is known. *)
| gives_up : forall p, step p Tau (drained p)
| seq_step : forall a l a' b, step a l a' -> step (Seq a b) l (Seq a' b)
| seq_next : forall a b, idle a -> step (Seq a b) Tau b
| par_left : forall a l a' b, step a l a' -> step (Par a b) l (Par a' b)
| par_right : forall a b l b', step b l b' -> step (Par a b) l (Par a b')
| race_left : forall a l a' b, step a l a' -> step (Race a b) l (Race a' b)
| race_right : forall a b l b', step b l b' -> step (Race a b) l (Race a b')
| optional_step : forall a l a', step a l a' -> step (Optional a) l (Optional a')
| each_item : forall n a, idle a -> step (Each (S n) a) Tau (Par a (Each n a))
| repeat_turn : forall n u a o, idle u -> idle a ->
    step (Repeat (S n) u a o) Tau (Seq u (Seq a (Repeat n u a o)))
| repeat_over : forall u a o, idle u -> idle o -> step (Repeat 0 u a o) Tau (Seq u o)
| choose_value : forall v l v' a b, step v l v' -> step (Choose v a b) l (Choose v' a b)
| choose_one : forall v a b, idle v -> idle a -> step (Choose v a b) Tau a
| choose_other : forall v a b, idle v -> idle b -> step (Choose v a b) Tau b
| fallback_step : forall a l a' b, step a l a' -> step (Fallback a b) l (Fallback a' b)
| fallback_next : forall a b, idle a -> step (Fallback a b) Tau b
| within_tau : forall v c b s a a', step a Tau a' -> step (Within v c b s a) Tau (Within v c b s a')
| within_reserve : forall v c b s a effects most a',
    step a (Reserve effects most) a' -> funds c b s a most ->
    step (Within v c b s a) (Reserve effects most) (Within v c b s a')
| within_settle : forall v c b s a most used a',
    step a (Settle most used) a' ->
    step (Within v c b s a) (Settle most used) (Within v c b (s + used) a')
| within_recall : forall v c b s a amount,
    step (Within v c b s a) (Recall amount) (Within v c (b + amount) s a)
| within_recall_inside : forall v c b s a amount a',
    step a (Recall amount) a' -> step (Within v c b s a) (Recall amount) (Within v c b s a')
| within_recall_both : forall v c b s a amount a',
    step a (Recall amount) a' ->
    step (Within v c b s a) (Recall amount) (Within v c (b + amount) s a').

(** Any number of steps. A run that is killed is one that makes no further step. *)
Inductive run : prog -> list label -> prog -> Prop :=
| run_nil : forall p, run p [] p
| run_step : forall p l p' ls p'', step p l p' -> run p' ls p'' -> run p (l :: ls) p''.

(** What ended attempts have used. *)
Fixpoint spent (ls : list label) : nat :=
  match ls with
  | Settle _ used :: rest => used + spent rest
  | _ :: rest => spent rest
  | [] => 0
  end.

(** By how much reports exceed their reservations. *)
Fixpoint excess (ls : list label) : nat :=
  match ls with
  | Settle most used :: rest => (used - most) + excess rest
  | _ :: rest => excess rest
  | [] => 0
  end.

Lemma step_in_flight : forall p l p', step p l p' ->
  match l with
  | Tau | Recall _ => in_flight p' = in_flight p
  | Reserve _ most => in_flight p' = in_flight p + most
  | Settle most _ => in_flight p = in_flight p' + most
  end.
Proof.
  unfold idle. induction 1; unfold idle in *; simpl in *; try (destruct l); try lia.
  apply drained_in_flight.
Qed.
