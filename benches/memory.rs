//! The promises about memory: what a run takes beside the values that it is given, and that
//! large values are passed on as they are. `cargo bench --bench memory`.

use std::{collections::BTreeMap, hint::black_box};

use allocation_counter::AllocationInfo;
use svc::value::{Text, Value};

#[path = "workloads/nap.rs"]
mod nap;
#[path = "workloads/planned.rs"]
mod planned;
#[path = "promises/table.rs"]
mod table;

use planned::{Planned, numbers};
use table::{Table, tell};

fn main() {
    let mut table = Table::new(std::env::args().any(|it| it == "--test"));
    table.group("2 each");
    each(&mut table);
    table.group("6 large values");
    large_values(&mut table);
    table.end();
}

/// What a run takes from the allocator.
fn taken(planned: &Planned, inputs: &BTreeMap<Text, Value>) -> AllocationInfo {
    // The first run makes ready what later ones find there.
    drop(planned.run(inputs.clone()));
    allocation_counter::measure(|| drop(black_box(planned.run(inputs.clone()))))
}

/// Many items: those that are there before, and the run's own.
fn each(table: &mut Table) {
    let count: u32 = table.size(1_000_000, 1_000);
    let values = f64::from(count) * float(size_of::<Value>() as u64);
    let planned = Planned::new("param xs: [int]\nxs >> each { (it + 1) }");
    let run = taken(&planned, &numbers(count.into()));
    let ratio = 1.0 + float(run.bytes_max) / values;
    table.at_most("`each` over 1,000,000 items, times the items", ratio, 3.0, "×");
}

/// 10 MB that go through 100 stages as they are.
fn large_values(table: &mut Table) {
    const BYTES: usize = 10_000_000;
    const STAGES: usize = 100;
    let inputs = BTreeMap::from([(Text::from("xs"), Value::from("x".repeat(BYTES)))]);
    let stages = |count: usize| {
        let script = format!("param xs: string\nxs{}", " >> trim".repeat(count));
        taken(&Planned::new(&script), &inputs)
    };
    let (one, all) = (stages(1), stages(STAGES));
    table.at_most("what 100 stages take for 10 MB", float(all.bytes_total), 1e5, "B");
    tell("  what one stage takes", float(one.bytes_total), "B");
    let more = float(all.count_total.saturating_sub(one.count_total));
    tell("  allocations of the 99 further stages", more, "");
}

#[expect(clippy::cast_precision_loss, reason = "nobody has 2^53 bytes")]
fn float(count: u64) -> f64 {
    count as f64
}
