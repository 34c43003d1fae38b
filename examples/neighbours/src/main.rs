//! svc in one program with sqlx, reqwest with aws-lc, and rhai with closures. Each does its work,
//! and none changes what another does.

mod secure;
#[cfg(feature = "store")]
mod stored;

use std::sync::Arc;

use rhai::FnPtr;
use sqlx::{SqlitePool, sqlite::SqlitePoolOptions};
use svc::registry::{Cx, OpError};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    // The process default, which svc neither uses nor changes.
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.install_default().map_err(|_| "a TLS provider is already installed")?;

    notes_of_the_host().await?;
    closures_of_the_host().await?;
    secure::requests_of_both().await?;
    #[cfg(feature = "store")]
    stored::runs_are_kept().await?;
    Ok(())
}

/// A pool of sqlx, used by an op that is a closure of this program.
async fn notes_of_the_host() -> Result {
    // Each connection would have its own database in memory.
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
    sqlx::query("create table notes (text text not null)").execute(&pool).await?;
    for text in ["pay the invoice", "call Ada", "send the invoice"] {
        sqlx::query("insert into notes values (?)").bind(text).execute(&pool).await?;
    }

    let find = svc::io_op("notes.find", async |cx: Cx, word: String| {
        let pool = cx.lent::<SqlitePool>()?;
        let found = sqlx::query_scalar("select text from notes where instr(text, ?)").bind(word);
        found.fetch_all(&*pool).await.map_err(|err| OpError::failed(err.to_string()))
            as std::result::Result<Vec<String>, OpError>
    });
    let engine = svc::engine().lend(Arc::new(pool)).with_ops([find.effect("reads notes")])?;
    let script = r#""invoice" >> notes.find >> each { upper }"#;
    let found: Vec<String> = engine.run(script).await?.get()?;
    assert_eq!(found, ["PAY THE INVOICE", "SEND THE INVOICE"]);
    println!("sqlx: the op `notes.find` read {} notes from its pool", found.len());
    Ok(())
}

/// A closure in the rhai of this program captures a variable; in scripts, that stays a mistake.
async fn closures_of_the_host() -> Result {
    let host = rhai::Engine::new();
    let ast = host.compile("let factor = 3; |x| x * factor")?;
    let triple: FnPtr = host.eval_ast(&ast)?;
    assert!(triple.is_curried(), "the closure has captured `factor`");

    let op = svc::op("host.triple", move |x: i64| -> std::result::Result<i64, OpError> {
        triple.call(&host, &ast, (x,)).map_err(|err| OpError::failed(err.to_string()))
    });
    let engine = svc::engine().with_ops([op])?;
    let script = "[1, 2] >> rhai(xs: [int]) -> [int] { xs.map(|x| x + 1) } >> each { host.triple }";
    let tripled: Vec<i64> = engine.run(script).await?.get()?;
    assert_eq!(tripled, [6, 9]);

    let captures = "1 >> rhai(x: int) -> int { let y = 2; [x].map(|z| z + y)[0] }";
    let report = engine.check(captures).unwrap_err().to_string();
    assert!(report.contains("unknown variable `y`"), "{report}");
    println!("rhai: the closure of the program returned {tripled:?}; scripts have no captures");
    Ok(())
}
