//! Functions of jq that are written in Rust, where those of `jaq-std` would bring the time zone of the
//! machine with them: formats, regular expressions, mathematics. Those on dates are in [`dates`].

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
    prelude::BASE64_STANDARD,
};
use jaq_core::{Error, Native, ValR, native};
use jaq_json::{Map, Val};
use jaq_std::ValT as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};

use super::{dates, numbers};

pub(super) type Data = jaq_core::data::JustLut<Val>;
pub(super) type Fun = native::Fun<Data>;

/// A function of its input and some values.
macro_rules! fun {
    ($name:expr, $args:literal, $run:expr) => {
        (
            $name,
            jaq_core::native::v($args),
            jaq_core::Native::<Data>::new(|mut cv| {
                let run: fn(&Val, [Val; $args]) -> jaq_core::ValR<Val> = $run;
                let mut args: [Val; $args] = std::array::from_fn(|_| cv.0.pop_var());
                args.reverse();
                jaq_core::native::bome(run(&cv.1, args))
            }),
        )
    };
}
pub(super) use fun;

/// All functions of this file.
pub(super) fn all() -> Vec<Fun> {
    let mut all = math();
    all.extend(formats());
    all.extend(dates::all());
    all.push(fun!("matches", 2, |it, args| matched(it, &args, false, true)));
    all.push(fun!("split_matches", 2, |it, args| matched(it, &args, true, true)));
    all.push(fun!("split_", 2, |it, args| matched(it, &args, true, false)));
    all.push(fun!("number_of", 0, |it, []| numbers::parsed(it)));
    for name in ["debug_empty", "stderr_empty"] {
        all.push((name, native::v(0), Native::<Data>::new(|_| Box::new(std::iter::empty()))));
    }
    all.extend(closed());
    all
}

/// What a program must not see: the results follow from the input alone.
fn closed() -> [Fun; 5] {
    [
        fun!("env", 0, |_, []| unavailable()),
        fun!("halt", 1, |_, [_]| unavailable()),
        fun!("localtime", 0, |_, []| unavailable()),
        fun!("now", 0, |_, []| unavailable()),
        fun!("strflocaltime", 1, |_, [_]| unavailable()),
    ]
}

fn unavailable() -> ValR<Val> {
    Err(Error::str("this function is not available: results follow from the input alone"))
}

pub(super) fn text(it: &Val) -> Result<&str, Error<Val>> {
    it.try_as_utf8_bytes().and_then(|it| std::str::from_utf8(it).map_err(Error::str))
}

pub(super) fn float(it: &Val) -> Result<f64, Error<Val>> {
    it.as_f64().ok_or_else(|| Error::typ(it.clone(), "number"))
}

fn int(it: &Val) -> Result<i32, Error<Val>> {
    let int = it.as_isize().ok_or_else(|| Error::typ(it.clone(), "integer"))?;
    int.try_into().map_err(Error::str)
}

fn of_int(it: i32) -> Val {
    Val::from(isize::try_from(it).unwrap_or_default())
}

fn formats() -> Vec<Fun> {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    const HTML: [(&str, &str); 5] =
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("'", "&#39;"), ("\"", "&quot;")];
    vec![
        fun!("escape_html", 0, |it, []| {
            let escaped =
                |text: String, (plain, escape): &(&str, &str)| text.replace(plain, escape);
            Ok(Val::from(HTML.iter().fold(text(it)?.to_owned(), escaped)))
        }),
        fun!("unescape_html", 0, |it, []| {
            let plain = |text: String, (plain, escape): &(&str, &str)| text.replace(escape, plain);
            Ok(Val::from(HTML.iter().rev().fold(text(it)?.to_owned(), plain)))
        }),
        fun!("encode_uri", 0, |it, []| {
            Ok(Val::from(percent_encode(it.try_as_utf8_bytes()?, KEPT).to_string()))
        }),
        fun!("decode_uri", 0, |it, []| {
            let bytes = it.try_as_utf8_bytes()?;
            let is_escape = |at: usize| {
                bytes.get(at + 1..at + 3).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit))
            };
            let mut signs = bytes.iter().enumerate().filter(|(_, it)| **it == b'%');
            let decoded = percent_decode(bytes).decode_utf8();
            match decoded {
                Ok(decoded) if signs.all(|(at, _)| is_escape(at)) => {
                    Ok(Val::from(decoded.into_owned()))
                }
                _ => Err(Error::str(format_args!("string ({it}) is not a valid uri encoding"))),
            }
        }),
        fun!("encode_base64", 0, |it, []| {
            Ok(Val::from(BASE64_STANDARD.encode(it.try_as_utf8_bytes()?)))
        }),
        fun!("decode_base64", 0, |it, []| {
            let lenient = GeneralPurposeConfig::new()
                .with_decode_padding_mode(DecodePaddingMode::Indifferent)
                .with_decode_allow_trailing_bits(true);
            let text = text(it)?.trim_end_matches('=');
            let decoded = GeneralPurpose::new(&alphabet::STANDARD, lenient).decode(text);
            decoded.map(Val::utf8_str).map_err(Error::str)
        }),
    ]
}

/// Matches of a regular expression, and the texts between them.
fn matched(it: &Val, args: &[Val; 2], gives_rest: bool, gives_matches: bool) -> ValR<Val> {
    const LARGEST: usize = 1 << 22;
    let [pattern, flags] = args;
    let flags = text(flags)?;
    if let Some(flag) = flags.chars().find(|it| !"gnimslxp".contains(*it)) {
        return Err(Error::str(format_args!("unknown flag of a regular expression: {flag}")));
    }
    let has = |flag: char| flags.contains(flag);
    let pattern = regex::RegexBuilder::new(text(pattern)?)
        .case_insensitive(has('i'))
        .multi_line(has('m') || has('p'))
        .dot_matches_new_line(has('s') || has('p'))
        .ignore_whitespace(has('x'))
        .size_limit(LARGEST)
        .build()
        .map_err(Error::str)?;
    let whole = text(it)?;
    let mut all = Vec::new();
    let mut last = 0;
    // The number of letters up to a byte, which only grows.
    let (mut byte, mut letters) = (0, 0);
    for captures in pattern.captures_iter(whole) {
        let Some(found) = captures.get(0) else { continue };
        if has('n') && found.is_empty() {
            continue;
        }
        if gives_rest {
            all.push(Val::from(whole[last..found.start()].to_owned()));
        }
        last = found.end();
        if gives_matches {
            letters += whole[byte..found.start()].chars().count();
            byte = found.start();
            let groups = captures.iter().zip(pattern.capture_names());
            let groups = groups.filter_map(|(it, name)| {
                let it = it?;
                let before = whole[found.start()..it.start().max(found.start())].chars().count();
                Some(group(it.as_str(), letters + before, name))
            });
            all.push(groups.collect());
        }
        if !has('g') {
            break;
        }
    }
    if gives_rest {
        all.push(Val::from(whole[last..].to_owned()));
    }
    Ok(all.into_iter().collect())
}

fn group(it: &str, offset: usize, name: Option<&str>) -> Val {
    let mut fields = Map::default();
    let mut put = |name: &str, it: Val| fields.insert(Val::from(name.to_owned()), it);
    put("offset", Val::from(offset));
    put("length", Val::from(it.chars().count()));
    put("string", Val::from(it.to_owned()));
    if let Some(name) = name {
        put("name", Val::from(name.to_owned()));
    }
    Val::obj(fields)
}

macro_rules! floats {
    ($all:ident: $($name:ident)*) => {
        $($all.push(fun!(stringify!($name), 0, |it, []| Ok(Val::from(libm::$name(float(it)?)))));)*
    };
}

macro_rules! pairs {
    ($all:ident: $($name:ident)*) => {
        $($all.push(fun!(stringify!($name), 2, |_, [a, b]| {
            Ok(Val::from(libm::$name(float(&a)?, float(&b)?)))
        }));)*
    };
}

fn math() -> Vec<Fun> {
    let mut all: Vec<Fun> = Vec::new();
    floats! { all:
        acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 fabs j0 j1
        lgamma log log10 log1p log2 rint sin sinh sqrt tan tanh tgamma trunc y0 y1
    }
    pairs! { all: atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder }
    all.push(fun!("nearbyint", 0, |it, []| Ok(Val::from(libm::rint(float(it)?)))));
    all.push(fun!("ilogb", 0, |it, []| Ok(of_int(libm::ilogb(float(it)?)))));
    all.push(fun!("frexp", 0, |it, []| {
        let (part, exponent) = libm::frexp(float(it)?);
        Ok([Val::from(part), of_int(exponent)].into_iter().collect())
    }));
    all.push(fun!("modf", 0, |it, []| {
        let (part, whole) = libm::modf(float(it)?);
        Ok([Val::from(part), Val::from(whole)].into_iter().collect())
    }));
    all.push(fun!("ldexp", 2, |_, [it, by]| Ok(Val::from(libm::ldexp(float(&it)?, int(&by)?)))));
    all.push(fun!("scalbln", 2, |_, [it, by]| Ok(Val::from(libm::scalbn(float(&it)?, int(&by)?)))));
    all.push(fun!("jn", 2, |_, [n, it]| Ok(Val::from(libm::jn(int(&n)?, float(&it)?)))));
    all.push(fun!("yn", 2, |_, [n, it]| Ok(Val::from(libm::yn(int(&n)?, float(&it)?)))));
    all.push(fun!("fma", 3, |_, [a, b, c]| {
        Ok(Val::from(libm::fma(float(&a)?, float(&b)?, float(&c)?)))
    }));
    all
}
