//! The promises about memory: the allocations of a run in addition to its inputs, and that large
//! values are passed on without copies. `cargo bench --bench memory`.

use std::{collections::BTreeMap, hint::black_box};

use allocation_counter::AllocationInfo;
use svc_contract::value::{Text, Value};

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

/// The allocations of a run.
fn taken(planned: &Planned, inputs: &BTreeMap<Text, Value>) -> AllocationInfo {
    // The first run initializes what later ones reuse.
    drop(planned.run(inputs.clone()));
    allocation_counter::measure(|| drop(black_box(planned.run(inputs.clone()))))
}

/// Many items: the input, and the run's own.
fn each(table: &mut Table) {
    let count: u32 = table.size(1_000_000, 1_000);
    let values = f64::from(count) * float(size_of::<Value>() as u64);
    let planned = Planned::new("param xs: [int]\nxs >> each { (it + 1) }");
    let run = taken(&planned, &numbers(count.into()));
    let ratio = 1.0 + float(run.bytes_max) / values;
    table.at_most("`each` over 1,000,000 items, times the items", ratio, 3.0, "×");
}

/// 10 MB that pass through 100 stages unchanged.
fn large_values(table: &mut Table) {
    const BYTES: usize = 10_000_000;
    const STAGES: usize = 100;
    let inputs = BTreeMap::from([(Text::from("xs"), Value::from("x".repeat(BYTES)))]);
    let stages = |count: usize| {
        let script = format!("param xs: string\nxs{}", " >> trim".repeat(count));
        taken(&Planned::new(&script), &inputs)
    };
    let (one, all) = (stages(1), stages(STAGES));
    table.at_most("allocations of 100 stages for 10 MB", float(all.bytes_total), 1e5, "B");
    tell("  allocations of one stage", float(one.bytes_total), "B");
    let more = float(all.count_total.saturating_sub(one.count_total));
    tell("  number of allocations of 99 more stages", more, "");
}

#[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53 bytes")]
fn float(count: u64) -> f64 {
    count as f64
}
