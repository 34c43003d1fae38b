//! A run of three calls, its provider, and what may happen next.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::{Arc, LazyLock},
    time::Duration,
};

use futures_util::FutureExt as _;
use svc_contract::{
    registry::{ErrorKind, OpError, Usage},
    store::{Entry as Row, RunId, Store as _},
    value::Written,
};
use svc_host_os::test::TestHost;
use svc_lang::plan::Scopes;

use super::disk::{Disk, Rows};
use crate::{
    Engine,
    history::{
        journal::{Asked, From, Journal},
        prior_spending::Edit,
    },
    run::{
        About, Earlier, Ended, Entry, Records as _, Reservation, Taken, by_input,
        ledger::{Account, Before, Cap},
    },
};

/// What an attempt reserves.
const MOST: u64 = 2;
/// The caps of the run, and of the bound inside.
const RUN: u64 = 5;
const INNER: u64 = 3;
/// The cap inside after the edit.
const EDITED: u64 = 2;

/// How much may happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) kills: usize,
    pub(super) edits: usize,
    /// Whether the first call may report more than it reserved.
    pub(super) excess: bool,
}

/// What happens next; calls are numbered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// A call begins: its result is known, or its first attempt is funded or refused.
    Begin(usize),
    /// Its attempt reports this usage.
    Settle(usize, u64),
    /// Its result is recorded.
    End(usize),
    /// The process dies, this number of rows is kept, and the run is resumed.
    Kill(usize),
    /// The same, with the edited script.
    Edit(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Running(u64),
    Settled(u64),
    Done,
    Reused,
    Refused,
}

/// The scripts before and after the edit, which moves the first call out of the bound.
struct Scripts {
    before: Scopes,
    after: Scopes,
}

/// A call of a script; only the places of its bounds matter here.
const WAIT: &str = "wait(duration: 1ms)";

/// The place of the bound in both scripts.
const BOUND: &str = "within";

static SCRIPTS: LazyLock<Scripts> = LazyLock::new(|| {
    let engine = Engine::new(
        svc_contract::registry::Registry::default().with(&svc_components::ALL.concat()),
        Arc::new(TestHost::new()),
    );
    let scopes = |script: &str| {
        let plan = engine.plan(script).unwrap_or_else(|it| panic!("{it}"));
        assert!(plan.scopes().has(BOUND), "{:?}", plan.scopes());
        plan.scopes().clone()
    };
    Scripts {
        before: scopes(&format!(
            "\"a\" >> (({WAIT} >> {WAIT}) within {{ timeout: 1m }}) >> {WAIT}"
        )),
        after: scopes(&format!(
            "\"a\" >> {WAIT} >> (({WAIT} >> upper) within {{ timeout: 1m }}) >> {WAIT}"
        )),
    }
});

/// What really happened at the provider, over all starts.
#[derive(Clone, Debug, Default)]
struct Provider {
    /// What the run owes at most.
    owed: u64,
    /// The part of it under the bound, since the last edit.
    inside: u64,
    /// By how much reports exceeded their reservations.
    excess: u64,
    /// The calls whose results were acknowledged.
    acknowledged: BTreeSet<usize>,
    repeated: Option<usize>,
    /// A call whose reservation was released before its usage was recorded.
    released: Option<usize>,
}

pub(super) struct World {
    disk: Arc<Disk>,
    run: RunId,
    journal: Journal,
    accounts: [Arc<Account>; 2],
    /// What the accounts had taken when this start began.
    before: [u64; 2],
    phases: [Phase; 3],
    provider: Provider,
    kills: usize,
    is_edited: bool,
}

fn usage(tokens: u64) -> Usage {
    Usage { tokens, ..Usage::default() }
}

/// The run of the script, and that of the edited one. They are random, but the same in all worlds.
static RUNS: LazyLock<[RunId; 2]> = LazyLock::new(|| [RunId::new(1), RunId::new(2)]);

impl World {
    pub(super) fn new() -> Self {
        let (disk, run) = (Arc::new(Disk::default()), RUNS[0].clone());
        let from = From { scopes: SCRIPTS.before.clone(), ..From::default() };
        Self::start(disk, run, &from, Provider::default(), 0, false)
    }

    fn start(
        disk: Arc<Disk>,
        run: RunId,
        from: &From,
        provider: Provider,
        kills: usize,
        is_edited: bool,
    ) -> Self {
        let host = Arc::new(TestHost::new());
        let mut journal = Journal::open(disk.clone(), run.clone(), host, from, Asked::default())
            .expect("it opens");
        if let Some(payments) = journal.taken_over() {
            let taken = Row::TakenOver { run: run.clone(), payments };
            disk.commit(taken).now_or_never().expect("at once").expect("it is written");
        }
        let cap = |tokens| Cap { tokens: Some(tokens), cost: None };
        let whole = Account::of_run(cap(RUN));
        whole.remember(journal.spent(""), |_| false);
        let before = Before { scope: BOUND.to_owned(), spent: journal.spent(BOUND) };
        let inner = whole.going_on(cap(if is_edited { EDITED } else { INNER }), 1, before);
        let before = [whole.taken().tokens, inner.taken().tokens];
        Self {
            disk,
            run,
            journal,
            accounts: [whole, inner],
            before,
            phases: [Phase::Idle; 3],
            provider,
            kills,
            is_edited,
        }
    }

    /// Whether a call is inside the bound.
    fn is_inside(&self, call: usize) -> bool {
        if self.is_edited { call == 1 } else { call < 2 }
    }

    fn account(&self, call: usize) -> &Arc<Account> {
        &self.accounts[usize::from(self.is_inside(call))]
    }

    pub(super) fn choices(&self, limits: Limits) -> Vec<Choice> {
        let mut all = Vec::new();
        for (call, phase) in self.phases.iter().enumerate() {
            match phase {
                Phase::Idle => all.push(Choice::Begin(call)),
                // One call reports little or much, the second one little, the last one everything.
                Phase::Running(_) if call == 0 => {
                    let most = if limits.excess { MOST + 2 } else { MOST };
                    all.extend([Choice::Settle(call, 1), Choice::Settle(call, most)]);
                }
                Phase::Running(_) => all.push(Choice::Settle(call, call as u64)),
                Phase::Settled(_) => all.push(Choice::End(call)),
                Phase::Done | Phase::Reused | Phase::Refused => {}
            }
        }
        let rows = self.disk.rows();
        let kept = rows.durable..=rows.all.len();
        if self.kills < limits.kills {
            all.extend(kept.clone().map(Choice::Kill));
        }
        if !self.is_edited && limits.edits > 0 {
            all.extend(kept.map(Choice::Edit));
        }
        all
    }

    pub(super) fn make(&mut self, choice: Choice) {
        match choice {
            Choice::Begin(call) => self.begin(call),
            Choice::Settle(call, used) => self.settle(call, used),
            Choice::End(call) => self.end(call),
            Choice::Kill(kept) => self.resume(kept, false),
            Choice::Edit(kept) => self.resume(kept, true),
        }
    }

    fn begin(&mut self, call: usize) {
        let entry = entry(call);
        if let Earlier::Done { usage, known_in, .. } =
            self.journal.earlier(&entry).expect("it reads")
        {
            let known = known_in.unwrap_or_default();
            self.account(call).remember(usage, |it| it.is_empty() || known.contains(&by_input(it)));
            self.phases[call] = Phase::Reused;
            return;
        }
        if self.account(call).reserve(usage(MOST)).is_err() {
            self.phases[call] = Phase::Refused;
            return;
        }
        if self.provider.acknowledged.contains(&call) {
            self.provider.repeated = Some(call);
        }
        let (number, written) = self.journal.reserves(Reservation {
            path: entry.path,
            component: entry.component,
            op: entry.op,
            scopes: self.account(call).scopes(),
            most: usage(MOST),
        });
        written.now_or_never().expect("at once").expect("it is written");
        self.phases[call] = Phase::Running(number);
    }

    fn settle(&mut self, call: usize, used: u64) {
        let Phase::Running(number) = self.phases[call] else { unreachable!("it runs") };
        let account = self.account(call).clone();
        let before = account.taken();
        let (is_held, _) = account.settle_after(usage(MOST), usage(used), || {
            self.journal.settles(number, usage(used)).expect("it is written");
            account.taken() == before
        });
        self.provider.released = self.provider.released.or((!is_held).then_some(call));
        self.owe(call, used);
        self.provider.excess += used.saturating_sub(MOST);
        self.phases[call] = Phase::Settled(used);
    }

    fn end(&mut self, call: usize) {
        let Phase::Settled(used) = self.phases[call] else { unreachable!("it is settled") };
        let is_excess = used > MOST;
        let result = if is_excess {
            Err(OpError::new(ErrorKind::Budget, "used more than declared"))
        } else {
            Ok(Written::Json("1".to_owned()))
        };
        let taken = Taken { tries: 1, log: Vec::new(), usage: usage(used), took: Duration::ZERO };
        let ended = self.journal.ended(entry(call), Ended { result, taken });
        ended.now_or_never().expect("at once").expect("it is written");
        if !is_excess {
            self.provider.acknowledged.insert(call);
        }
        self.phases[call] = Phase::Done;
    }

    /// Counts what the provider may bill.
    fn owe(&mut self, call: usize, amount: u64) {
        self.provider.owed += amount;
        if self.is_inside(call) {
            self.provider.inside += amount;
        }
    }

    fn resume(&mut self, kept: usize, edits: bool) {
        // Attempts in flight may be billed in full.
        for call in 0..3 {
            if let Phase::Running(_) = self.phases[call] {
                self.owe(call, MOST);
            }
        }
        let rows: Rows = self.disk.rows().clone();
        let disk = Arc::new(Disk::of(rows, kept));
        let mut provider = self.provider.clone();
        let is_edited = self.is_edited || edits;
        let scripts = &*SCRIPTS;
        let from = if edits {
            provider.inside = 0;
            // Only the edit is compared with the earlier calls: a call that it has moved keeps its place.
            let edit = Edit::between(scripts.before.clone(), &scripts.after);
            let origin = Some((self.run.clone(), edit));
            From {
                runs: vec![self.run.clone()],
                places: None,
                origin,
                scopes: scripts.after.clone(),
            }
        } else if is_edited {
            let edit = Edit::between(scripts.before.clone(), &scripts.after);
            let runs = vec![RUNS[0].clone(), self.run.clone()];
            From {
                runs,
                places: None,
                origin: Some((RUNS[0].clone(), edit)),
                scopes: scripts.after.clone(),
            }
        } else {
            From { runs: vec![self.run.clone()], scopes: scripts.before.clone(), ..From::default() }
        };
        let run = if edits { RUNS[1].clone() } else { self.run.clone() };
        let kills = self.kills + usize::from(!edits);
        *self = Self::start(disk, run, &from, provider, kills, is_edited);
    }

    /// The promise that is broken, if any.
    pub(super) fn wrong(&self, _: Limits) -> Option<String> {
        let Provider { owed, inside, excess, repeated, released, .. } = self.provider;
        let in_flight = |inside: bool| -> u64 {
            let of = |(call, it): (usize, &Phase)| match it {
                Phase::Running(_) if !inside || self.is_inside(call) => MOST,
                _ => 0,
            };
            self.phases.iter().enumerate().map(of).sum()
        };
        let cap = if self.is_edited { EDITED } else { INNER };
        for (place, cap, owed) in
            [(0, RUN, owed + in_flight(false)), (1, cap, inside + in_flight(true))]
        {
            if owed > cap + excess {
                return Some(format!("{owed} of {cap} may be billed under cap {place}"));
            }
            // What an edit found already spent may be more than its cap.
            let taken = self.accounts[place].taken().tokens;
            if taken > cap.max(self.before[place]) + excess {
                return Some(format!("account {place} has taken {taken} of {cap}"));
            }
        }
        let repeated = repeated.map(|it| format!("the call {it} was made again"));
        repeated.or_else(|| Some(format!("the call {} was released before its record", released?)))
    }

    pub(super) fn has_refused(&self) -> bool {
        self.phases.contains(&Phase::Refused)
    }

    pub(super) fn has_reused(&self) -> bool {
        self.phases.contains(&Phase::Reused)
    }

    /// Everything that decides what can follow, as text.
    pub(super) fn state(&self) -> String {
        let mut text = format!(
            "{:?} {:?} {:?} {} {}\n",
            self.phases,
            self.provider,
            self.accounts.each_ref().map(|it| it.taken().tokens),
            self.kills,
            self.is_edited
        );
        let rows = self.disk.rows();
        let mut payments = BTreeMap::new();
        for (idx, row) in rows.all.iter().enumerate() {
            let is_durable = idx < rows.durable;
            match row {
                Row::Payment(it) => {
                    payments.insert((it.run == RUNS[0], it.number), (it.path.clone(), None));
                }
                Row::Settled { run, number, used } if is_durable => {
                    if let Some(it) = payments.get_mut(&(*run == RUNS[0], *number)) {
                        it.1 = Some(used.tokens);
                    }
                }
                Row::Settled { number, used, .. } => {
                    writeln!(text, "{number} {}", used.tokens).expect("text");
                }
                Row::Node { node, .. } => {
                    writeln!(text, "{} {:?} {is_durable}", node.path, node.state).expect("text");
                }
                _ => {}
            }
        }
        format!("{text}{payments:?}")
    }
}

/// The record of a call.
fn entry(call: usize) -> Entry {
    Entry {
        path: ["wait", "wait#2", "wait#3"][call].to_owned(),
        key: [u8::try_from(call).unwrap_or(0); 32],
        component: "llm_router",
        op: "infer",
        version: 1,
        args: Vec::new(),
        is_dear: true,
        is_pure: false,
        is_inline: false,
        max_age: None,
        looks_outside: false,
        is_decision: false,
        about: About::default(),
    }
}
