(** Small programs that run: the theorems are about something, and the envelope is tight. *)

From Coq Require Import List Arith Lia Bool.
From Svc Require Import Program Steps Envelope.
Import ListNotations.

Definition ask (most : nat) : prog := Call [1] most 1 0 Done.

(** Two items under a cap that holds one of them. *)
Definition two_items : prog := planned (Within false 15 0 0 (Each 2 (ask 10))).

Example its_envelope : envelope two_items = 15 /\ is_proven 15 (Each 2 (ask 10)) = false.
Proof. split; reflexivity. Qed.

(** The first item is funded and reports 5; then the second one is funded as well. *)
Example both_items_run : exists state,
  run two_items
    [Tau; Reserve [1] 10; Settle 10 5; Tau; Tau; Reserve [1] 10; Settle 10 10] state.
Proof.
  unfold two_items, ask, planned, is_proven; simpl.
  eexists. eapply run_step. { apply within_tau, each_item. reflexivity. }
  eapply run_step. { apply within_reserve; [apply par_left, attempt_begins|right; simpl; lia]. }
  eapply run_step. { apply within_settle, par_left, seq_step, par_left, attempt_ends. }
  eapply run_step. { apply within_tau, par_left, gives_up. }
  eapply run_step. { apply within_tau, par_right, each_item. reflexivity. }
  eapply run_step.
  { apply within_reserve; [apply par_right, par_left, attempt_begins|right; simpl; lia]. }
  eapply run_step.
  { apply within_settle, par_right, par_left, seq_step, par_left, attempt_ends. }
  apply run_nil.
Qed.

(** With both in flight, the cap of 15 would be passed: the second one is not started. *)
Example the_second_one_waits : ~ funds 15 0 0 (Par (Running 10) (ask 10)) 10.
Proof. unfold funds; simpl; lia. Qed.

(** A retry is an attempt of its own, so a call may take all of its envelope. *)
Example retries_take_it_all : exists state,
  run (Call [] 7 2 0 Done) [Reserve [] 7; Settle 7 7; Tau; Tau; Reserve [] 7; Settle 7 7] state
  /\ envelope (Call [] 7 2 0 Done) = 14.
Proof.
  eexists. split; [|reflexivity].
  eapply run_step. { apply attempt_begins. }
  eapply run_step. { apply seq_step, par_left, attempt_ends. }
  eapply run_step. { apply seq_step, gives_up. }
  eapply run_step. { apply seq_next. reflexivity. }
  eapply run_step. { apply attempt_begins. }
  eapply run_step. { apply seq_step, par_left, attempt_ends. }
  apply run_nil.
Qed.

(** A proven cap may refuse after a kill: the attempt that was cut off counts in full, and is made
    again. Here 10 of 20 are on record, and both calls are to be made. *)
Example a_resumed_start_has_less_room :
  is_proven 20 (Seq (ask 10) (ask 10)) = true /\
  ~ honest (Within true 20 10 0 (Seq (ask 10) (ask 10))).
Proof. split; [reflexivity|]. simpl. intros [_ H]. specialize (H eq_refl). lia. Qed.
