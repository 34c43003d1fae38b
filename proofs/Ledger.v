(** The ledger and the journal of a run, over all of its starts. Theorem (b): reserved and spent
    amounts stay within every cap, across kills, resumes and edits. Theorem (c): an acknowledged
    call is not made again.

    A run of this machine is any list of events that it accepts. It knows no script: whatever asks
    for funds, in whatever order, is covered. It is also the checker that the tests run on the
    events of real runs, after extraction. *)

From Coq Require Import List Arith Lia Bool.
Import ListNotations.

(** A bound at a place of the script; 0 is the whole run. *)
Definition scope := nat.
Definition path := nat.
(** Everything that determines the result of a call. *)
Definition key := nat.

(** One attempt. *)
Record payment : Type := {
  scopes : list scope;
  most : nat;
  (** What the ledger counts: the whole reservation, until a report replaces it. *)
  counted : option nat;
  (** Whether a kill cannot lose the record of the report: a later commit was after it. *)
  safe : bool;
  (** What was ever reported, even if a kill has lost the record of it. Only the theorems look at
      it. *)
  reported : option nat;
  (** Whether it belongs to the current process, which may still report on it. *)
  open : bool
}.

Record state : Type := {
  payments : list payment;
  caps : list (scope * nat);
  (** What an edit has found already spent, by scope. Only the theorems look at it. *)
  base : scope -> nat;
  (** The results on disk, by path; the latest one counts. *)
  done : list (path * key);
  (** The calls of the current process that have begun. *)
  active : list (path * key)
}.

Inductive event : Type :=
| Begin (at_path : path) (with_key : key)
  (** An attempt: it is on disk, with everything before it, when it begins. *)
| Reserve (at_scopes : list scope) (amount : nat)
  (** The report of an attempt, by its number. It is on disk at some later time. *)
| Settle (number amount : nat)
  (** The result is on disk, with everything before it. *)
| Ack (at_path : path) (with_key : key)
| Fail (at_path : path) (with_key : key)
  (** The process dies and the run is resumed; the records of these reports are lost. *)
| Kill (lost : list nat)
  (** The same, with an edited script: each payment, from the oldest one, has other scopes besides
      the whole run, and scopes have other caps. *)
| Edit (lost : list nat) (moved : list (list scope)) (new_caps : list (scope * nat)).

Definition start (the_caps : list (scope * nat)) : state :=
  {| payments := []; caps := the_caps; base := fun _ => 0; done := []; active := [] |}.

(** Defects that the code could have, or had: each can be switched on. *)
Record defects : Type := {
  (** A resumed run starts with empty accounts. *)
  forgets_on_resume : bool;
  (** An attempt that a kill has cut off counts nothing. *)
  frees_killed : bool;
  (** A reservation is on disk before the reports that have made room for it. *)
  reorders : bool;
  (** What was spent at a place that an edit has removed is lost, for the run as well. *)
  drops_removed : bool;
  (** Only the innermost cap is consulted. *)
  innermost_only : bool;
  (** Results are not looked up. *)
  repeats : bool
}.

Definition none : defects :=
  {| forgets_on_resume := false; frees_killed := false; reorders := false;
     drops_removed := false; innermost_only := false; repeats := false |}.

Definition is_in (s : scope) (p : payment) : bool := existsb (Nat.eqb s) (scopes p).

Definition counts (p : payment) : nat :=
  match counted p with Some used => used | None => most p end.

Definition sum (f : payment -> nat) (s : scope) (all : list payment) : nat :=
  fold_right (fun p total => (if is_in s p then f p else 0) + total) 0 all.

(** Reserved and spent under a scope: an account of the ledger. *)
Definition taken (s : scope) (st : state) : nat := sum counts s (payments st).

Fixpoint lookup (n : nat) (all : list (nat * nat)) : option nat :=
  match all with
  | [] => None
  | (it, value) :: rest => if Nat.eqb it n then Some value else lookup n rest
  end.

Definition cap_of (s : scope) (st : state) : option nat := lookup s (caps st).

Definition fits (st : state) (amount : nat) (s : scope) : bool :=
  match cap_of s st with None => true | Some cap => taken s st + amount <=? cap end.

Definition consulted (d : defects) (at_scopes : list scope) : list scope :=
  if innermost_only d then firstn 1 at_scopes else at_scopes.

Definition secured (p : payment) : payment :=
  {| scopes := scopes p; most := most p; counted := counted p; safe := true;
     reported := reported p; open := open p |}.

Definition settled (amount : nat) (p : payment) : payment :=
  {| scopes := scopes p; most := most p; counted := Some amount; safe := false;
     reported := Some amount; open := false |}.

Definition ended (p : payment) : bool :=
  match reported p with Some _ => true | None => negb (open p) end.

Fixpoint settle_at (number amount : nat) (all : list payment) : option (list payment) :=
  match all, number with
  | [], _ => None
  | p :: rest, 0 => if ended p then None else Some (settled amount p :: rest)
  | p :: rest, S n => option_map (cons p) (settle_at n amount rest)
  end.

(** A payment as the next process reads it. *)
Definition reread (d : defects) (is_lost : bool) (p : payment) : payment :=
  let kept := if is_lost && negb (safe p) then None else counted p in
  let kept :=
    if forgets_on_resume d then Some 0
    else match kept with None => if frees_killed d then Some 0 else None | it => it end in
  {| scopes := scopes p; most := most p; counted := kept; safe := true;
     reported := reported p; open := false |}.

(** Payments are numbered from the oldest one, which is the last of the list. *)
Fixpoint reread_all (d : defects) (lost : list nat) (all : list payment) :=
  match all with
  | [] => []
  | p :: rest => reread d (existsb (Nat.eqb (length rest)) lost) p :: reread_all d lost rest
  end.

(** Whether the record of a report may be lost: nothing was made durable after it. *)
Definition may_lose (all : list payment) (number : nat) : bool :=
  match nth_error (rev all) number with Some p => negb (safe p) | None => false end.

(** The scopes of an earlier payment in the edited script. The whole run stays. *)
Definition moved_to (d : defects) (now : list scope) : list scope :=
  match now with
  | [] => if drops_removed d then [] else [0]
  | _ => 0 :: now
  end.

Definition moved_payment (d : defects) (now : list scope) (p : payment) : payment :=
  {| scopes := moved_to d now; most := most p; counted := counted p; safe := safe p;
     reported := reported p; open := open p |}.

Fixpoint moved_all (d : defects) (moved : list (list scope)) (all : list payment) : list payment :=
  match all with
  | [] => []
  | p :: rest => moved_payment d (nth (length rest) moved []) p :: moved_all d moved rest
  end.

Definition is_active (p : path) (st : state) : bool := existsb (fun it => fst it =? p) (active st).

Definition is_this (p : path) (k : key) (it : path * key) : bool :=
  (fst it =? p) && (snd it =? k).

Definition without (p : path) (all : list (path * key)) : list (path * key) :=
  filter (fun it => negb (fst it =? p)) all.

(** What is certainly on disk; the theorem on repeated calls needs no more. *)
Definition is_done (p : path) (k : key) (st : state) : bool :=
  match lookup p (done st) with Some it => it =? k | None => false end.

(** Everything a payment may come to count: the report may be lost, and it may have been higher
    than what is counted. *)
Definition worst (p : payment) : nat :=
  let by_record := if safe p then counts p else Nat.max (counts p) (most p) in
  match reported p with Some used => Nat.max by_record used | None => by_record end.

Definition over (p : payment) : nat :=
  match reported p with Some used => used - most p | None => 0 end.

Definition with_payments (all : list payment) (st : state) : state :=
  {| payments := all; caps := caps st; base := base st; done := done st; active := active st |}.

Definition with_calls (now : list (path * key)) (on_disk : list (path * key)) (st : state) : state :=
  {| payments := payments st; caps := caps st; base := base st; done := on_disk; active := now |}.

Definition secure_all (d : defects) (all : list payment) : list payment :=
  if reorders d then all else map secured all.

(** The state after an event, if the engine lets it happen. *)
Definition apply (d : defects) (st : state) (e : event) : option state :=
  match e with
  | Begin p k =>
      if is_active p st || (is_done p k st && negb (repeats d)) then None
      else Some (with_calls ((p, k) :: active st) (done st) st)
  | Reserve at_scopes amount =>
      if (amount =? 0) || forallb (fits st amount) (consulted d at_scopes) then
        let new := {| scopes := at_scopes; most := amount; counted := None; safe := true;
                      reported := None; open := true |} in
        Some (with_payments (new :: secure_all d (payments st)) st)
      else None
  | Settle number amount =>
      if number <? length (payments st) then
        option_map (fun all => with_payments all st)
          (settle_at (length (payments st) - 1 - number) amount (payments st))
      else None
  | Ack p k =>
      if existsb (is_this p k) (active st) then
        Some (with_payments (secure_all d (payments st))
          (with_calls (without p (active st)) ((p, k) :: done st) st))
      else None
  | Fail p k =>
      if existsb (is_this p k) (active st) then
        Some (with_calls (without p (active st)) (without p (done st)) st)
      else None
  | Kill lost =>
      if forallb (may_lose (payments st)) lost then
        Some (with_payments (reread_all d lost (payments st)) (with_calls [] (done st) st))
      else None
  | Edit lost moved new_caps =>
      if forallb (may_lose (payments st)) lost then
        let all := moved_all d moved (reread_all d lost (payments st)) in
        Some {| payments := all; caps := new_caps; base := fun s => sum worst s all;
                done := done st; active := [] |}
      else None
  end.

Fixpoint replay (d : defects) (st : state) (events : list event) : option state :=
  match events with
  | [] => Some st
  | e :: rest => match apply d st e with Some next => replay d next rest | None => None end
  end.

(** (b) as a test of one state: an account over its cap, by more than edits and reports explain. *)
Definition is_kept (s : scope) (st : state) : bool :=
  match cap_of s st with
  | None => true
  | Some cap => taken s st <=? Nat.max cap (base st s) + sum over s (payments st)
  end.
