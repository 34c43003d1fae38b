//! The program `examples/crm.rs` runs: a CRM with scripts of its users.

#[path = "../../examples/crm.rs"]
mod program;

#[test]
fn the_program_runs() {
    program::main().unwrap();
}
