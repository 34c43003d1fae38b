(** Programs: the part of the language that spends, and what a plan says of it.

    Amounts are of one kind, tokens or money; the ledger keeps them apart, so every theorem
    holds for each kind. Values are left out: which arm an [if] takes, whether a call fails, and
    what it uses are choices of the world. A program is also the state of its run: [Running] is
    an attempt in flight, and [Within] holds the account of its cap. *)

From Coq Require Import List Arith Lia Bool.
Import ListNotations.

(** The number of an effect: a scope that is read or written, a program that is run, and so on. *)
Definition effect := nat.

Inductive prog : Type :=
| Done
  (** A call: its effects, the most that one attempt may use, the number of attempts, and a flow
      that each attempt may call up to [calls] times. A mock has no effects. *)
| Call (effects : list effect) (most tries calls : nat) (flow : prog)
  (** An attempt in flight, with its reservation. *)
| Running (most : nat)
| Seq (first next : prog)
  (** [parallel], fields, arguments and independent [let]s. *)
| Par (left right : prog)
| Race (left right : prog)
  (** An optional branch, or an item of [each?]. *)
| Optional (body : prog)
| Each (items : nat) (body : prog)
| Repeat (turns : nat) (until body otherwise : prog)
  (** [if] and [match]. *)
| Choose (value one other : prog)
| Fallback (first next : prog)
  (** A cap: whether the plan calls it proven; what was spent under it before this start, and
      in it. *)
| Within (proven : bool) (cap before spent : nat) (body : prog).

(** What is reserved by attempts in flight. *)
Fixpoint in_flight (p : prog) : nat :=
  match p with
  | Running most => most
  | Seq a b | Par a b | Race a b | Fallback a b => in_flight a + in_flight b
  | Optional a | Choose a _ _ | Within _ _ _ _ a => in_flight a
  | Done | Call _ _ _ _ _ | Each _ _ | Repeat _ _ _ _ => 0
  end.

Definition idle (p : prog) : Prop := in_flight p = 0.

(** The most that can still be taken in addition to what is taken: the estimator of
    [crates/lang/src/plan/estimate], for what remains of a run. *)
Fixpoint rest (p : prog) : nat :=
  match p with
  | Done | Running _ => 0
  | Call _ most tries calls flow => tries * (most + calls * rest flow)
  | Seq a b | Par a b | Race a b | Fallback a b => rest a + rest b
  | Optional a => rest a
  | Each items body => items * rest body
  | Repeat turns until body otherwise =>
      (turns + 1) * rest until + turns * rest body + rest otherwise
  | Choose value one other => rest value + Nat.max (rest one) (rest other)
  | Within _ cap before spent body =>
      Nat.min (rest body) (cap - (before + spent + in_flight body))
  end.

(** The upper end of the envelope, as [svc plan] computes it: what was spent earlier is not
    known to a plan. *)
Fixpoint envelope (p : prog) : nat :=
  match p with
  | Done | Running _ => 0
  | Call _ most tries calls flow => tries * (most + calls * envelope flow)
  | Seq a b | Par a b | Race a b | Fallback a b => envelope a + envelope b
  | Optional a => envelope a
  | Each items body => items * envelope body
  | Repeat turns until body otherwise =>
      (turns + 1) * envelope until + turns * envelope body + envelope otherwise
  | Choose value one other => envelope value + Nat.max (envelope one) (envelope other)
  | Within _ cap _ _ body => Nat.min (envelope body) cap
  end.

Lemma rest_within_envelope : forall p, rest p <= envelope p.
Proof.
  induction p; simpl; try lia.
  - apply Nat.mul_le_mono_l. apply Nat.add_le_mono_l. now apply Nat.mul_le_mono_l.
  - now apply Nat.mul_le_mono_l.
  - apply Nat.add_le_mono; [apply Nat.add_le_mono|]; auto; now apply Nat.mul_le_mono_l.
Qed.

(** The effects that a plan lists. *)
Fixpoint effects_of (p : prog) : list effect :=
  match p with
  | Done | Running _ => []
  | Call effects _ _ _ flow => effects ++ effects_of flow
  | Seq a b | Par a b | Race a b | Fallback a b => effects_of a ++ effects_of b
  | Optional a | Each _ a | Within _ _ _ _ a => effects_of a
  | Repeat _ a b c | Choose a b c => effects_of a ++ effects_of b ++ effects_of c
  end.

(** The verdict on the cap around [body]. *)
Definition is_proven (cap : nat) (body : prog) : bool := envelope body <=? cap.

(** A script as it starts: nothing is in flight or spent, and the verdicts are those of the
    plan. *)
Fixpoint planned (p : prog) : prog :=
  match p with
  | Done | Running _ => Done
  | Call effects most tries calls flow => Call effects most tries calls (planned flow)
  | Seq a b => Seq (planned a) (planned b)
  | Par a b => Par (planned a) (planned b)
  | Race a b => Race (planned a) (planned b)
  | Fallback a b => Fallback (planned a) (planned b)
  | Optional a => Optional (planned a)
  | Each items a => Each items (planned a)
  | Repeat turns a b c => Repeat turns (planned a) (planned b) (planned c)
  | Choose a b c => Choose (planned a) (planned b) (planned c)
  | Within _ cap _ _ a => Within (is_proven cap (planned a)) cap 0 0 (planned a)
  end.

(** What remains when everything that has not begun is given up. *)
Fixpoint drained (p : prog) : prog :=
  match p with
  | Done | Call _ _ _ _ _ | Each _ _ | Repeat _ _ _ _ => Done
  | Running most => Running most
  | Seq a b | Par a b | Race a b | Fallback a b => Par (drained a) (drained b)
  | Optional a | Choose a _ _ => drained a
  | Within proven cap before spent a => Within proven cap before spent (drained a)
  end.

Lemma drained_in_flight : forall p, in_flight (drained p) = in_flight p.
Proof. induction p; simpl; lia. Qed.

Lemma drained_rest : forall p, rest (drained p) = 0.
Proof. induction p; simpl; lia. Qed.

(** The verdicts of the caps of a script, in the order in which they are written. *)
Fixpoint verdicts (p : prog) : list bool :=
  match p with
  | Done | Running _ => []
  | Call _ _ _ _ a | Optional a | Each _ a => verdicts a
  | Seq a b | Par a b | Race a b | Fallback a b => verdicts a ++ verdicts b
  | Repeat _ a b c | Choose a b c => verdicts a ++ verdicts b ++ verdicts c
  | Within proven _ _ _ a => proven :: verdicts a
  end.
