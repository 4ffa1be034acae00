// Runs all tests in one process, so that they share one browser. Each file also runs alone.

import "./whole_games.test.mjs";
import "./multiplayer.test.mjs";
import "./reconnection.test.mjs";
import "./page_basics.test.mjs";
import "./accessibility.test.mjs";
import "./analysis.test.mjs";
import "./analysis_page.test.mjs";
import "./tournaments.test.mjs";
import "./rules.test.mjs";
