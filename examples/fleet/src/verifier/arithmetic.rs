//! A calculator for `+ - * /`, parentheses and signs.

use std::{iter::Peekable, str::Chars};

/// The value of an expression; none if it is not one, or divides by zero.
pub(crate) fn evaluate(expression: &str) -> Option<f64> {
    // Deeper nesting than this is nobody's arithmetic, and would exhaust the stack.
    const MAX_LENGTH: usize = 1_000;
    if expression.len() > MAX_LENGTH {
        return None;
    }
    let mut parser = Parser { chars: expression.chars().peekable() };
    let value = parser.sum()?;
    (parser.next_symbol().is_none() && value.is_finite()).then_some(value)
}

struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    /// Terms joined by `+` and `-`.
    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(sign @ ('+' | '-')) = self.next_symbol() {
            self.chars.next();
            let term = self.product()?;
            value += if sign == '+' { term } else { -term };
        }
        Some(value)
    }

    /// Factors joined by `*` and `/`.
    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        while let Some(sign @ ('*' | '/')) = self.next_symbol() {
            self.chars.next();
            let factor = self.factor()?;
            value = if sign == '*' { value * factor } else { value / factor };
        }
        Some(value)
    }

    /// A number, a signed factor, or a sum in parentheses.
    fn factor(&mut self) -> Option<f64> {
        match self.next_symbol()? {
            '-' => {
                self.chars.next();
                self.factor().map(|value| -value)
            }
            '(' => {
                self.chars.next();
                let value = self.sum()?;
                self.next_symbol().filter(|symbol| *symbol == ')')?;
                self.chars.next();
                Some(value)
            }
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Option<f64> {
        let mut digits = String::new();
        while let Some(digit) = self.chars.next_if(|char| char.is_ascii_digit() || *char == '.') {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    /// What comes next, white space apart.
    fn next_symbol(&mut self) -> Option<char> {
        while self.chars.next_if(|char| char.is_whitespace()).is_some() {}
        self.chars.peek().copied()
    }
}
