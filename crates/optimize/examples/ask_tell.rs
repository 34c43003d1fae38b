//! Optimizers for other programs, by lines of text on the standard streams.
//!
//! ```text
//! new cma 1 sigma=0.3 float:-5:5 int:0:9 log:0.1:10 choice:3 start=0,0,1,0
//! ask 2                  answers with two lines of values, separated by spaces
//! set 0.5 0 1 2 = 3.25  the values of a point, and what to minimise; several for nsga2
//! ```

use std::{
    error::Error,
    io::{BufRead, Write, stdin, stdout},
};

use svc_optimize::{Cma, Dimension, Local, Nsga2, Optimizer, Point, Random, Space, Tpe};

enum Any {
    One(Box<dyn Optimizer>),
    Several(Nsga2),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut optimizer: Option<Any> = None;
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let line = line?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match (word, &mut optimizer) {
            ("new", _) => optimizer = Some(new(rest)?),
            ("ask", Some(any)) => {
                let points = match any {
                    Any::One(it) => it.ask(rest.parse()?),
                    Any::Several(it) => it.ask(rest.parse()?),
                };
                for point in points {
                    let values: Vec<String> = point.iter().map(f64::to_string).collect();
                    writeln!(out, "{}", values.join(" "))?;
                }
                out.flush()?;
            }
            ("set", Some(any)) => {
                let (point, values) = rest.split_once('=').ok_or("expected `=`")?;
                let (point, values) = (numbers(point)?, numbers(values)?);
                match any {
                    Any::One(it) => it.tell(&[(point, values[0])]),
                    Any::Several(it) => it.tell(&[(point, values)]),
                }
            }
            _ => return Err(format!("unexpected line: {line}").into()),
        }
    }
    Ok(())
}

fn numbers(text: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

fn new(text: &str) -> Result<Any, Box<dyn Error>> {
    let mut words = text.split_whitespace();
    let name = words.next().ok_or("missing name")?;
    let seed = words.next().ok_or("missing seed")?.parse()?;
    let mut dimensions = Vec::new();
    let mut settings = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some(setting) => settings.push(setting),
            None => dimensions.push(dimension(word)?),
        }
    }
    let space = Space::new(dimensions)?;
    let get = |name: &str| settings.iter().find(|it| it.0 == name).map(|it| it.1);
    let number = |name: &str, default: f64| get(name).map_or(Ok(default), str::parse);
    let popsize: usize = get("popsize").map_or(Ok(0), str::parse)?;
    let start: Option<Point> = get("start")
        .map(|it| it.split(',').map(str::parse).collect::<Result<_, _>>())
        .transpose()?;
    let start = start.as_ref();
    Ok(match name {
        "random" => Any::One(Box::new(Random::new(&space, start, seed))),
        "local" => Any::One(Box::new(Local::new(&space, start, seed).sigma(number("sigma", 0.2)?))),
        "tpe" => Any::One(Box::new(Tpe::new(&space, start, seed).gamma(number("gamma", 0.15)?))),
        "cma" => Any::One(Box::new(
            Cma::new(&space, start, seed)
                .sigma(number("sigma", 0.3)?)
                .popsize(popsize)
                .model(number("model", 1.0)? > 0.0),
        )),
        "nsga2" => Any::Several(Nsga2::new(&space, start, seed).popsize(popsize)),
        _ => return Err(format!("unknown optimizer {name}").into()),
    })
}

fn dimension(text: &str) -> Result<Dimension, Box<dyn Error>> {
    let parts: Vec<&str> = text.split(':').collect();
    Ok(match parts[..] {
        ["float", min, max] => {
            Dimension::Float { min: min.parse()?, max: max.parse()?, log: false }
        }
        ["log", min, max] => Dimension::Float { min: min.parse()?, max: max.parse()?, log: true },
        ["int", min, max] => Dimension::Int { min: min.parse()?, max: max.parse()? },
        ["choice", count] => Dimension::Choice { count: count.parse()? },
        _ => return Err(format!("unknown param {text}").into()),
    })
}
