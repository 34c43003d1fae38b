(** Each defect breaks a theorem: with it switched on, there is a run that the theorem excludes.
    So the theorems are not true by accident, and each part of the ledger is needed. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Ledger.
Import ListNotations.

(** What was really reported, over all attempts: scope 0 is the whole run. *)
Definition all_reports (st : state) : nat :=
  fold_right (fun p total => match reported p with Some used => used | None => 0 end + total) 0
    (payments st).

(** Whether a run is accepted and ends with more than the cap of the whole run allows. *)
Definition breaks_a_cap (d : defects) (cap : nat) (events : list event) : bool :=
  match replay d (start [(0, cap)]) events with
  | Some st =>
      cap + sum over 0 (payments st) <? Nat.max (taken 0 st) (all_reports st)
  | None => false
  end.

Definition forgetting := {| forgets_on_resume := true; frees_killed := false; reorders := false;
  drops_removed := false; innermost_only := false; repeats := false |}.
Definition freeing := {| forgets_on_resume := false; frees_killed := true; reorders := false;
  drops_removed := false; innermost_only := false; repeats := false |}.
Definition reordering := {| forgets_on_resume := false; frees_killed := false; reorders := true;
  drops_removed := false; innermost_only := false; repeats := false |}.
Definition dropping := {| forgets_on_resume := false; frees_killed := false; reorders := false;
  drops_removed := true; innermost_only := false; repeats := false |}.
Definition innermost := {| forgets_on_resume := false; frees_killed := false; reorders := false;
  drops_removed := false; innermost_only := true; repeats := false |}.
Definition repeating := {| forgets_on_resume := false; frees_killed := false; reorders := false;
  drops_removed := false; innermost_only := false; repeats := true |}.

(** A resumed run that starts with empty accounts spends its cap twice. *)
Definition spends_twice := [Reserve [0] 10; Settle 0 10; Kill []; Reserve [0] 10; Settle 1 10].

Example a_forgetful_resume_breaks_a_cap : breaks_a_cap forgetting 10 spends_twice = true.
Proof. reflexivity. Qed.

(** An attempt that was cut off may have been charged for: here the report arrives just before the
    process dies, and its record is lost. *)
Definition loses_a_report := [Reserve [0] 10; Settle 0 10; Kill [0]; Reserve [0] 10; Settle 1 10].

Example a_freed_reservation_breaks_a_cap : breaks_a_cap freeing 10 loses_a_report = true.
Proof. reflexivity. Qed.

(** A report of little makes room for another attempt; if its record is lost although that of the
    attempt is not, the account is overdrawn. *)
Definition loses_room :=
  [Reserve [0] 10; Settle 0 2; Reserve [0] 8; Settle 1 8; Kill [0]].

Example a_reordered_log_breaks_a_cap : breaks_a_cap reordering 10 loses_room = true.
Proof. reflexivity. Qed.

(** The place where the money went is gone from the edited script; the run has spent it still. *)
Definition removes_a_place :=
  [Reserve [1; 0] 10; Settle 0 10; Edit [] [[]] [(0, 10)]; Reserve [0] 10; Settle 1 10].

Example a_dropped_place_breaks_a_cap : breaks_a_cap dropping 10 removes_a_place = true.
Proof. reflexivity. Qed.

Example the_innermost_cap_is_not_enough :
  breaks_a_cap innermost 10 [Reserve [1; 0] 10; Reserve [1; 0] 10] = true.
Proof. reflexivity. Qed.

Example without_lookups_a_call_repeats :
  exists st, replay repeating (start []) [Begin 7 1; Ack 7 1; Kill []; Begin 7 1] = Some st.
Proof. eexists. reflexivity. Qed.

(** Without a defect, the same runs are refused, or stay within the cap. *)
Example none_of_them_breaks_it :
  map (breaks_a_cap none 10)
    [spends_twice; loses_a_report; loses_room; removes_a_place; [Reserve [1; 0] 10; Reserve [1; 0] 10]]
  = [false; false; false; false; false].
Proof. reflexivity. Qed.
