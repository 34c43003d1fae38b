(** Prints what each theorem rests on. The build fails unless every answer is "Closed under the
    global context". *)

From Svc Require Import Envelope Around Effects Caps Once Link.

Print Assumptions each_start_within_its_envelope.
Print Assumptions all_starts_within_their_envelopes.
Print Assumptions every_cap_is_kept.
Print Assumptions a_cap_survives_kills.
Print Assumptions a_passed_cap_funds_nothing.
Print Assumptions an_edit_keeps_what_the_run_spent.
Print Assumptions no_acknowledged_call_is_repeated.
Print Assumptions a_proven_cap_never_refuses.
Print Assumptions a_cap_with_room_never_refuses.
Print Assumptions a_cap_proven_inside_others_never_refuses.
Print Assumptions effects_are_planned.
Print Assumptions the_ledger_accepts_every_start.
Print Assumptions a_and_b_hold_of_one_run.
Print Assumptions caps_are_asked_one_by_one.
