(* Reads one request a line and answers each with one line.

   plan PROGRAM      -> the envelope, then the verdict of each cap
   tokens PROGRAM    -> the same of tokens, of which a call asks for what the caps around it leave
   effects PROGRAM   -> the effects, sorted
   trace CAPS EVENTS -> "kept", or the first event that is refused or breaks a cap

   Programs and events are written as nested lists: (seq (call (1) 10 2 0 done) done). *)

open Model

type sexp = Atom of string | List of sexp list

let parse text =
  let length = String.length text in
  let at = ref 0 in
  let rec items found =
    if !at >= length then List.rev found
    else
      match text.[!at] with
      | ' ' -> incr at; items found
      | ')' -> incr at; List.rev found
      | '(' -> incr at; let inner = items [] in items (List inner :: found)
      | _ ->
        let from = !at in
        while !at < length && not (String.contains " ()" text.[!at]) do incr at done;
        items (Atom (String.sub text from (!at - from)) :: found)
  in
  items []

let number = function Atom text -> int_of_string text | List _ -> failwith "expected a number"
let numbers = function List all -> List.map number all | Atom _ -> failwith "expected a list"
let pair = function List [ a; b ] -> (number a, number b) | _ -> failwith "expected a pair"
let pairs = function List all -> List.map pair all | Atom _ -> failwith "expected a list"

let lists = function List all -> List.map numbers all | Atom _ -> failwith "expected a list"

let rec program = function
  | Atom "done" -> Done
  | List [ Atom "call"; effects; most; tries; calls; flow ] ->
    Call (numbers effects, number most, number tries, number calls, program flow)
  | List [ Atom "seq"; a; b ] -> Seq (program a, program b)
  | List [ Atom "par"; a; b ] -> Par (program a, program b)
  | List [ Atom "race"; a; b ] -> Race (program a, program b)
  | List [ Atom "optional"; a ] -> Optional (program a)
  | List [ Atom "each"; n; a ] -> Each (number n, program a)
  | List [ Atom "repeat"; n; u; a; o ] -> Repeat (number n, program u, program a, program o)
  | List [ Atom "choose"; v; a; b ] -> Choose (program v, program a, program b)
  | List [ Atom "fallback"; a; b ] -> Fallback (program a, program b)
  | List [ Atom "within"; cap; a ] -> Within (false, number cap, 0, 0, program a)
  | _ -> failwith "expected a program"

let event = function
  | List [ Atom "begin"; p; k ] -> Begin (number p, number k)
  | List [ Atom "reserve"; scopes; most ] -> Reserve (numbers scopes, number most)
  | List [ Atom "settle"; n; used ] -> Settle (number n, number used)
  | List [ Atom "ack"; p; k ] -> Ack (number p, number k)
  | List [ Atom "fail"; p; k ] -> Fail (number p, number k)
  | List [ Atom "kill"; lost ] -> Kill (numbers lost)
  | List [ Atom "edit"; lost; moved; caps ] -> Edit (numbers lost, lists moved, pairs caps)
  | _ -> failwith "expected an event"

let plan script =
  let word proven = if proven then "proven" else "enforced" in
  let all = List.map word (verdicts script) in
  String.concat " " (string_of_int (envelope script) :: all)

let effects source =
  let all = List.sort_uniq compare (effects_of (program source)) in
  String.concat " " (List.map string_of_int all)

let trace caps events =
  let caps = pairs caps in
  let rec go at state = function
    | [] -> "kept"
    | one :: rest ->
      (match apply none state (event one) with
       | None -> Printf.sprintf "refused %d" at
       | Some next ->
         let broken = List.filter (fun (scope, _) -> not (is_kept scope next)) next.caps in
         (match broken with
          | (scope, _) :: _ -> Printf.sprintf "over %d at %d" scope at
          | [] -> go (at + 1) next rest))
  in
  match events with
  | List all -> go 0 (start caps) all
  | Atom _ -> failwith "expected a list of events"

let answer line =
  try
    match parse line with
    | [ Atom "plan"; source ] -> plan (planned (program source))
    | [ Atom "tokens"; source ] -> plan (planned_in None (program source))
    | [ Atom "effects"; source ] -> effects source
    | [ Atom "trace"; caps; events ] -> trace caps events
    | _ -> "error: unknown request"
  with Failure why -> "error: " ^ why

let () =
  try
    while true do
      print_endline (answer (input_line stdin))
    done
  with End_of_file -> ()
