# What jq has and jaq has not, or otherwise. The definitions follow the manual of jq 1.8.

def have_decnum: false;
def have_literal_numbers: true;

def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; . + {($row | f | tostring): $row});
def INDEX(f): INDEX(.[]; f);
def JOIN($idx; f): [.[] | [., $idx[f]]];
def JOIN($idx; stream; f): stream | [., $idx[f]];
def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;
def GROUP_BY(f): group_by(f);
def ascii: [.] | implode;
def trimstr($x): if isstring and ($x | isstring) then ltrimstr($x) | rtrimstr($x) end;

def tonumber: if isnumber then . else number_of end;
def toboolean: if isboolean then . elif . == "true" then true elif . == "false" then false
  else error("\(type) (\(tojson)) cannot be parsed as a boolean") end;

def join($sep): reduce .[] as $it (null;
    (if . == null then "" else . + $sep end)
  + ($it | if . == null then "" elif isstring then . elif isboolean or isnumber then tojson else . end)
  ) // "";

def from_entries: reduce .[] as $x ({}; . + {
    ($x | if isobject then
        (if .key == null then .k // .name // .Name // .K // .Key else .key end)
      else . end | if isstring then . else tojson end):
    ($x | if has("value") then .value elif has("v") then .v else .Value end)
  });

# Fields and items that are not there yet are made.
def setpath($path; $x):
  if $path == [] then $x
  else $path[0] as $key | $path[1:] as $rest
    | if ($key | isstring) and (. == null or isobject) then
        (. // {}) | . + {($key): (.[$key] | setpath($rest; $x))}
      elif ($key | isnumber) and (. == null or isarray) then
        (. // []) | ($key | floor) as $key | (if $key < 0 then length + $key else $key end) as $at
        | if $at < 0 then error("Out of bounds negative array index")
          elif $at > 10000000 then error("Array index too large")
          else .[:$at] + [range(length; $at) | null] + [.[$at] | setpath($rest; $x)] + .[$at + 1:]
          end
      else getpath($path) = $x end
  end;

def pick(f): . as $top | reduce path(f) as $path (null; setpath($path; $top | getpath($path)));

def tostream:
  path(def r: (.[]? | r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f):
  {x: null, e: false} as $start
  | foreach f as $i ($start;
      if .e then $start else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream
  | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;

def @csv: map(
    if isstring then "\"" + gsub("\""; "\"\"") + "\""
    elif . == null then ""
    elif isboolean or isnumber then tojson
    else error("\(type) (\(tojson)) is not valid in a csv row") end
  ) | join(",");
def @tsv: map(
    if isstring then
      gsub("\\\\"; "\\\\") | gsub("\t"; "\\t") | gsub("\n"; "\\n") | gsub("\r"; "\\r")
    elif . == null then ""
    elif isboolean or isnumber then tojson
    else error("\(type) (\(tojson)) is not valid in a tsv row") end
  ) | join("\t");
