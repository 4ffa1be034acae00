//! Game specs: `kalah:6,4`, `kalah(6,4)`, `oware:rules=awari`. Text to parameter values and back, for every game alike.
//!
//! Numbers are given by position or by name, variants by name only; what is missing has its default.

use crate::BadParams;

/// A parameter of a game spec.
///
/// # Examples
///
/// ```
/// use parlor_core::{Fallback, Parameter, parse_values, write_spec};
///
/// const PARAMETERS: &[Parameter] = &[
///     Parameter::number("columns", 4, 10, Fallback::Value(10)),
///     Parameter::number("rows", 4, 10, Fallback::AsBefore(10)),
///     Parameter::choice("rules", &["usual", "short"]),
/// ];
/// let values = parse_values("chess", PARAMETERS, "8,rules=short")?;
/// assert_eq!(values, [8, 8, 1]);
/// assert_eq!(write_spec("chess", PARAMETERS, &values), "chess:8,8,rules=short");
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name, as in `capture=empty`.
    pub name: &'static str,
    /// The values that the parameter may have.
    pub kind: ParameterKind,
    /// The value if the spec does not set the parameter.
    pub fallback: Fallback,
}

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// A number from the first to the second, both included.
    Number(u32, u32),
    /// One of these words; the value is the index in the list, and the first word is the standard.
    Choice(&'static [&'static str]),
}

/// The default of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    /// Always this value.
    Value(u32),
    /// The value of the parameter before it: `amazons:5` is 5 by 5. If that was not given either, this value.
    AsBefore(u32),
}

impl Parameter {
    /// A number, which a spec gives by position.
    pub const fn number(name: &'static str, min: u32, max: u32, fallback: Fallback) -> Parameter {
        Parameter { name, kind: ParameterKind::Number(min, max), fallback }
    }

    /// A variant by name; the first word is the default.
    pub const fn choice(name: &'static str, words: &'static [&'static str]) -> Parameter {
        Parameter { name, kind: ParameterKind::Choice(words), fallback: Fallback::Value(0) }
    }

    /// Refuses a number outside the parameter's own range.
    fn check(&self, game: &str, value: u32) -> Result<(), BadParams> {
        match self.kind {
            ParameterKind::Number(min, max) if !(min..=max).contains(&value) => {
                Err(self.out_of_range(game, &value.to_string(), min, max))
            }
            _ => Ok(()),
        }
    }

    fn out_of_range(&self, game: &str, text: &str, min: u32, max: u32) -> BadParams {
        BadParams(format!("{game}: {} '{text}' is not a number from {min} to {max}", self.name))
    }

    fn read(&self, game: &str, text: &str) -> Result<u32, BadParams> {
        match self.kind {
            ParameterKind::Number(min, max) => {
                let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                // A number too large for u32 gets the error about the range.
                let value = text.parse::<u32>().ok().filter(|v| digits && (min..=max).contains(v));
                value.ok_or_else(|| self.out_of_range(game, text, min, max))
            }
            ParameterKind::Choice(words) => {
                words.iter().position(|w| *w == text).map(|i| i as u32).ok_or_else(|| {
                    BadParams(format!("{game}: {} '{text}' is not one of {}", self.name, words.join(", ")))
                })
            }
        }
    }
}

/// Splits a game spec into the game's name and the text of its parameters: `kalah:6,4` and `kalah(6,4)` alike.
///
/// # Examples
///
/// ```
/// use parlor_core::split_spec;
///
/// assert_eq!(split_spec("kalah:6,4"), Ok(("kalah", "6,4")));
/// assert_eq!(split_spec("kalah(6,4)"), Ok(("kalah", "6,4")));
/// assert_eq!(split_spec("oware"), Ok(("oware", "")));
/// ```
pub fn split_spec(spec: &str) -> Result<(&str, &str), BadParams> {
    let spec = spec.trim();
    if let Some((name, rest)) = spec.split_once('(') {
        let Some(inside) = rest.strip_suffix(')') else {
            return Err(BadParams(format!(
                "game '{spec}': missing closing bracket; expected a spec like kalah(6,4)"
            )));
        };
        return Ok((name.trim(), inside.trim()));
    }
    let (name, rest) = spec.split_once(':').unwrap_or((spec, ""));
    Ok((name.trim(), rest.trim()))
}

/// Reads the parameter part of a spec: one value for each parameter, each in its own range.
pub fn parse_values(game: &str, parameters: &[Parameter], text: &str) -> Result<Vec<u32>, BadParams> {
    let mut given: Vec<Option<u32>> = vec![None; parameters.len()];
    let numbers = parameters.iter().filter(|p| matches!(p.kind, ParameterKind::Number(..))).count();
    let mut place = 0;
    for part in text.split(',').map(str::trim).filter(|_| !text.is_empty()) {
        let (index, value) = match part.split_once('=') {
            Some((key, value)) => (named(game, parameters, key.trim())?, value.trim()),
            None if place < numbers => {
                place += 1;
                (place - 1, part)
            }
            None => {
                return Err(BadParams(format!(
                    "{game}: too many parameters at '{part}'; {}",
                    usage(game, parameters)
                )));
            }
        };
        if given[index].is_some() {
            return Err(BadParams(format!("{game}: duplicate parameter {}", parameters[index].name)));
        }
        given[index] = Some(parameters[index].read(game, value)?);
    }
    let mut values: Vec<u32> = Vec::with_capacity(parameters.len());
    for (i, parameter) in parameters.iter().enumerate() {
        let value = given[i].unwrap_or(match parameter.fallback {
            Fallback::Value(value) => value,
            Fallback::AsBefore(value) => match i.checked_sub(1) {
                Some(before) if given[before].is_some() => values[before],
                _ => value,
            },
        });
        // The range of the preceding parameter may be wider.
        parameter.check(game, value)?;
        values.push(value);
    }
    Ok(values)
}

fn named(game: &str, parameters: &[Parameter], key: &str) -> Result<usize, BadParams> {
    parameters
        .iter()
        .position(|p| p.name == key)
        .ok_or_else(|| BadParams(format!("{game}: unknown parameter '{key}'; {}", usage(game, parameters))))
}

fn usage(game: &str, parameters: &[Parameter]) -> String {
    let form = |p: &Parameter| match p.kind {
        ParameterKind::Number(..) => p.name.to_uppercase(),
        ParameterKind::Choice(words) => format!("{}={}", p.name, words.join("|")),
    };
    format!("expected {game}:{}", parameters.iter().map(form).collect::<Vec<_>>().join(","))
}

/// The canonical spec: all numbers by position, variants only if they are not the standard.
pub fn write_spec(name: &str, parameters: &[Parameter], values: &[u32]) -> String {
    let mut parts = Vec::new();
    for (parameter, &value) in parameters.iter().zip(values) {
        match parameter.kind {
            ParameterKind::Number(..) => parts.push(value.to_string()),
            ParameterKind::Choice(words) if value > 0 => {
                parts.push(format!("{}={}", parameter.name, words.get(value as usize).unwrap_or(&"")));
            }
            ParameterKind::Choice(_) => {}
        }
    }
    if parts.is_empty() { name.to_string() } else { format!("{name}:{}", parts.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter::number("columns", 1, 10, Fallback::Value(7)),
        Parameter::number("rows", 1, 10, Fallback::AsBefore(6)),
        Parameter::choice("rules", &["usual", "other"]),
    ];

    fn canonical(text: &str) -> Result<String, String> {
        let (name, rest) = split_spec(text).map_err(|e| e.0)?;
        Ok(write_spec(name, PARAMETERS, &parse_values(name, PARAMETERS, rest).map_err(|e| e.0)?))
    }

    #[test]
    fn specs_become_canonical() {
        for (text, want) in [
            ("g", "g:7,6"),
            ("g:5", "g:5,5"),
            ("g(5,4)", "g:5,4"),
            (" g : 5 , 4 ", "g:5,4"),
            ("g:rows=3", "g:7,3"),
            ("g:rules=other", "g:7,6,rules=other"),
            ("g:5,rules=usual", "g:5,5"),
        ] {
            assert_eq!(canonical(text).as_deref(), Ok(want), "{text}");
        }
    }

    #[test]
    fn bad_specs_say_what_would_be_right() {
        for (text, part) in [
            ("g:0", "columns '0' is not a number from 1 to 10"),
            ("g:99999999999999999999", "is not a number from 1 to 10"),
            ("g:-1", "columns '-1' is not a number"),
            ("g:+1", "columns '+1' is not a number"),
            ("g:1,2,3", "too many parameters at '3'; expected g:COLUMNS,ROWS,rules=usual|other"),
            ("g:,2", "columns '' is not a number"),
            ("g:rules=mine", "rules 'mine' is not one of usual, other"),
            ("g:size=3", "unknown parameter 'size'"),
            ("g:5,columns=5", "duplicate parameter columns"),
            ("g(5,4", "missing closing bracket"),
        ] {
            let error = canonical(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
