//! The graph of a game as SVG: the first side's lead is above the middle, the second side's below. Proven points
//! are square, estimates round, and each links to its position. The script inserts the graph as it is.

use crate::analysis::{AnalysisLine, PlyReport, value_text};
use maud::{Markup, html};
use parlor_core::{Margin, counted};

const WIDTH: f32 = 720.0;
const HEIGHT: f32 = 200.0;
const EDGE: f32 = 18.0;

/// Draws the graph of the points that are known so far.
pub fn graph(line: &AnalysisLine, points: &[PlyReport]) -> Markup {
    let layout = GraphLayout::of(line, points);
    let names = line.names();
    let path: Vec<String> = points.iter().map(|point| layout.place(point)).collect();
    let here = layout.x(line.ply);
    html! {
        svg.graph viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label="Graph of the game" {
            line.zero x1="0" x2=(WIDTH) y1=(HEIGHT / 2.0) y2=(HEIGHT / 2.0) {}
            line.here x1=(here) x2=(here) y1="4" y2=(HEIGHT - 4.0) {}
            text x="8" y="16" { (names[0]) " ahead" }
            text x="8" y=(HEIGHT - 8.0) { (names[1]) " ahead" }
            @if path.len() > 1 { polyline.line points=(path.join(" ")) {} }
            @for point in points { (dot(line, &layout, point)) }
        }
        p.muted.legend { "■ proven  ● estimated  " span.red { "▲" } " mistake" @if points.len() <= line.len() { "  · analysing the game…" } }
    }
}

struct GraphLayout {
    plies: f32,
    widest: f32,
    size: f32,
}

impl GraphLayout {
    fn of(line: &AnalysisLine, points: &[PlyReport]) -> GraphLayout {
        let plies = line.len().max(1) as f32;
        let widest = points.iter().map(|point| point.lead().abs()).fold(1.0, f32::max);
        GraphLayout { plies, widest, size: (260.0 / plies).clamp(2.2, 5.0) }
    }

    fn x(&self, ply: usize) -> f32 {
        round(EDGE + (WIDTH - 2.0 * EDGE) * ply as f32 / self.plies)
    }

    /// The height of a point. It grows with the square root of the lead, so that small leads are visible beside
    /// large ones.
    fn y(&self, point: &PlyReport) -> f32 {
        let lead = point.lead();
        let high = (lead.abs() / self.widest).sqrt().copysign(lead);
        round(HEIGHT / 2.0 - (HEIGHT / 2.0 - EDGE - 6.0) * high)
    }

    fn place(&self, point: &PlyReport) -> String {
        format!("{},{}", self.x(point.ply), self.y(point))
    }
}

fn round(number: f32) -> f32 {
    (number * 10.0).round() / 10.0
}

fn dot(line: &AnalysisLine, layout: &GraphLayout, point: &PlyReport) -> Markup {
    let (x, y, r) = (layout.x(point.ply), layout.y(point), layout.size);
    let mistake =
        point.made.as_ref().is_some_and(|made| made.is_mistake() && (made.turned || made.gave >= 1.0));
    let class = if mistake { "dot blunder" } else { "dot" };
    html! {
        a href={ "/analysis?" (line.query(point.ply)) } tabindex="-1" aria-label=(words(line, point)) {
            title { (words(line, point)) }
            rect.reach x=(round(x - 9.0)) y="0" width="18" height=(HEIGHT) {}
            @if mistake {
                path class=(class) d={ "M" (x) " " (round(y - r - 1.5)) "l" (round(r + 1.5)) " " (round(2.0 * r)) "h" (round(-2.0 * r - 3.0)) "z" } {}
            } @else if point.exact {
                rect class=(class) x=(round(x - r * 0.85)) y=(round(y - r * 0.85)) width=(round(r * 1.7)) height=(round(r * 1.7)) {}
            } @else {
                circle class=(class) cx=(x) cy=(y) r=(round(r)) {}
            }
        }
    }
}

fn words(line: &AnalysisLine, point: &PlyReport) -> String {
    let sure = if point.exact { "proven" } else { "estimated" };
    let value = value_text(Margin(point.value), point.chance);
    let played = point.made.as_ref().map_or(String::new(), |made| format!(", then {}", made.mv));
    format!("After {}: {value} for {}, {sure}{played}", counted(point.ply as u64, "move"), line.names()[0])
}
