//! The straight lines of paths.

use super::{
    content::{MOST_OPERATIONS, Reader},
    places::Edge,
};

impl Reader<'_, '_> {
    pub(super) fn path(&mut self, operator: &str, numbers: &[f64]) {
        let place = self.state.place;
        match (operator, numbers) {
            ("m", [x, y]) => {
                self.first = place.of(*x, *y);
                self.last = self.first;
            }
            ("l", [x, y]) => self.line_to(place.of(*x, *y)),
            ("c" | "v" | "y", [.., x, y]) => self.last = place.of(*x, *y),
            ("re", [x, y, width, height]) => {
                let corner = |x, y| place.of(x, y);
                self.first = corner(*x, *y);
                self.last = self.first;
                self.line_to(corner(x + width, *y));
                self.line_to(corner(x + width, y + height));
                self.line_to(corner(*x, y + height));
                self.line_to(self.first);
            }
            ("h", _) => self.line_to(self.first),
            ("n", _) => self.path.clear(),
            ("s" | "b" | "b*", _) => {
                self.line_to(self.first);
                self.draw();
            }
            ("S" | "B" | "B*" | "f" | "F" | "f*", _) => self.draw(),
            _ => {}
        }
    }

    fn line_to(&mut self, to: (f64, f64)) {
        if self.path.len() < MOST_OPERATIONS {
            self.path.push((self.last, to));
        }
        self.last = to;
    }

    fn draw(&mut self) {
        for (from, to) in self.path.drain(..) {
            let ((left, bottom), (right, top)) =
                ((from.0.min(to.0), from.1.min(to.1)), (from.0.max(to.0), from.1.max(to.1)));
            let (width, height) = (right - left, top - bottom);
            if !(width.is_finite() && height.is_finite()) {
                continue;
            }
            if width < 1.0 && height >= 1.0 {
                self.shown.vertical.push(Edge { at: left, start: bottom, end: top });
            } else if height < 1.0 && width >= 1.0 {
                self.shown.horizontal.push(Edge { at: bottom, start: left, end: right });
            }
        }
    }
}
