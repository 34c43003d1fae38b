export function pad(n) {
  return String(n).padStart(2, "0");
}

export function debug(x) {
  console.log("debug", x);
  console.log(typeof x);
}
