// All tests in one process, so that one browser serves them all, one after the other. Each file also runs alone.

import "./whole_games.test.mjs";
import "./company.test.mjs";
import "./endurance.test.mjs";
import "./plain.test.mjs";
import "./access.test.mjs";
import "./analysis.test.mjs";
import "./study.test.mjs";
import "./tournaments.test.mjs";
import "./rules.test.mjs";
