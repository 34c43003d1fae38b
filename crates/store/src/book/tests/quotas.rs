//! Quotas are never passed, by threads, by processes or after a restart.

use super::*;

#[test]
fn threads_of_several_processes_pass_no_quota() {
    const LIMIT: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    // Each opens the book as another process does.
    let books: Vec<Book> = (0..4).map(|_| open(&folder)).collect();
    let taken: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..32)
            .map(|it| {
                let book = &books[it % books.len()];
                scope.spawn(move || {
                    let take = |_| book.take_calls("a".into(), 1, 7, LIMIT).wait().unwrap().granted;
                    (0..10).map(take).sum::<u64>()
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).sum()
    });
    assert_eq!(taken, LIMIT);
    assert_eq!(books[0].calls("a", 1).unwrap(), LIMIT);
    let other_day = books[0].take_calls("a".into(), 2, 7, LIMIT).wait().unwrap();
    assert_eq!(other_day, TakenCalls { granted: 7, total: 7 });
    books[1].return_calls("a".into(), 1, 20).unwrap();
    books[1].flush().wait().unwrap();
    assert_eq!(books[2].calls("a", 1).unwrap(), LIMIT - 20);
}

#[test]
fn money_is_reserved_once_and_settled() {
    let folder = tempfile::tempdir().unwrap();
    let limit = Some(Money::cents(100));
    let reserve = |book: &Book, run: &str, cents| {
        book.reserve(run.into(), "a".into(), 1, Money::cents(cents), limit).wait().unwrap()
    };
    let granted = |cents| Reserved::Granted(Money::cents(cents));
    let book = open(&folder);
    assert_eq!(reserve(&book, "r1", 70), granted(70));
    // A run that resumes after a crash keeps its reservation.
    assert_eq!(reserve(&book, "r1", 90), granted(70));
    assert_eq!(reserve(&book, "r2", 50), granted(30));
    assert_eq!(reserve(&book, "r3", 1), Reserved::Exhausted);
    assert_eq!(reserve(&book, "free", 0), granted(0));
    drop(book);
    let book = open(&folder);
    assert_eq!(reserve(&book, "r3", 1), Reserved::Exhausted);
    assert!(book.settle("r1".into(), Money::cents(10)).wait().unwrap());
    assert!(!book.settle("nothing".into(), Money::cents(10)).wait().unwrap());
    assert_eq!(book.spent("a", 1).unwrap(), Money::cents(40));
    // A settled run that goes on: what it used is part of what it reserves again.
    assert_eq!(reserve(&book, "r1", 70), granted(70));
    assert_eq!(reserve(&book, "r3", 1), Reserved::Exhausted);
    assert!(book.settle("r1".into(), Money::cents(69)).wait().unwrap());
    assert_eq!(reserve(&book, "r4", 5), granted(1));
    assert_eq!(reserve(&book, "r1", 69), Reserved::Exhausted);
    assert_eq!(book.spent("a", 1).unwrap(), Money::cents(100));
}

#[test]
fn threads_pass_no_budget() {
    let folder = tempfile::tempdir().unwrap();
    let books = [open(&folder), open(&folder)];
    let limit = Some(Money::cents(300));
    thread::scope(|scope| {
        for thread in 0..32 {
            let book = &books[thread % 2];
            scope.spawn(move || {
                for number in 0..5 {
                    let run = format!("{thread}-{number}");
                    let most = Money::cents(17);
                    let reserved =
                        book.reserve(run.clone(), "a".into(), 1, most, limit).wait().unwrap();
                    assert!(book.spent("a", 1).unwrap() <= Money::cents(300));
                    if let Reserved::Granted(granted) = reserved
                        && number % 2 == 0
                    {
                        let used = Money::from_nanos(granted.nanos() / 3);
                        book.settle(run, used).wait().unwrap();
                    }
                }
            });
        }
    });
    assert!(books[0].spent("a", 1).unwrap() <= Money::cents(300));
}
