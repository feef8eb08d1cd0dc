// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Files that the build puts into the binary.
std::string_view ReportTemplate();     // web/dist/report.html
std::string_view FlameSvgScript();     // web/dist/flame_svg.js
std::string_view HeatmapPage();        // web/standalone/heatmap_page.html
std::string_view HeatmapScript();      // web/dist/heatmap_page.js
std::string_view FleetPage();          // web/dist/fleet.html
std::string_view ComparePage();        // web/dist/compare.html
std::string_view ServerPage();         // web/dist/server.html, and what it loads:
std::string_view ServerScript();       // web/dist/server.js
std::string_view ServerFleetScript();  // web/dist/server_fleet.js, on the page Fleet only
std::string_view ServerStyle();        // web/dist/server.css

}  // namespace sparkprof
