(** The estimator and the checker as a program, for the tests of the engine.

    Numbers become machine integers; the tests stay far below their limit. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt PeanoNat.
From Svc Require Import Program Around Ledger.

Extraction Language OCaml.
(** Without these, it would count one by one. *)
Extract Inlined Constant Coq.Init.Nat.max => "Stdlib.max".
Extract Inlined Constant Coq.Init.Nat.min => "Stdlib.min".
Extract Inlined Constant PeanoNat.Nat.max => "Stdlib.max".
Extract Inlined Constant PeanoNat.Nat.min => "Stdlib.min".
Extraction "model.ml" envelope planned planned_in verdicts effects_of start none apply is_kept taken cap_of.
