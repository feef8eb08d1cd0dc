// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// Files embedded in the binary.
std::string_view ReportTemplate();  // web/dist/report.html, or what SPARKPROF_REPORT_TEMPLATE named at configure time
std::string_view FlameSvgScript();  // src/render/flame_svg.js
std::string_view HeatmapPage();     // src/render/heatmap_page.html
std::string_view HeatmapScript();   // src/render/heatmap_page.js

}  // namespace sparkprof
