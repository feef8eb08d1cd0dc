// SPDX-License-Identifier: Apache-2.0
#include "render/report/embedded_file.h"

// The assembler includes the file: faster than compiling an array, and without a copy in the source tree.
#define SPARKPROF_EMBED(symbol, path)     \
  __asm__(                                \
      ".section .rodata\n"                \
      ".balign 16\n" #symbol              \
      "_begin:\n"                         \
      ".incbin \"" path "\"\n" #symbol    \
      "_end:\n.byte 0\n"                  \
      ".previous\n");                     \
  extern "C" const char symbol##_begin[]; \
  extern "C" const char symbol##_end[]

SPARKPROF_EMBED(sparkprof_report_template, SPARKPROF_WEB_OUTPUT "/report.html");
SPARKPROF_EMBED(sparkprof_flame_svg_script, SPARKPROF_WEB_OUTPUT "/flame_svg.js");
SPARKPROF_EMBED(sparkprof_heatmap_page, SPARKPROF_HEATMAP_PAGE);
SPARKPROF_EMBED(sparkprof_heatmap_script, SPARKPROF_WEB_OUTPUT "/heatmap_page.js");
SPARKPROF_EMBED(sparkprof_fleet_page, SPARKPROF_WEB_OUTPUT "/fleet.html");
SPARKPROF_EMBED(sparkprof_compare_page, SPARKPROF_WEB_OUTPUT "/compare.html");
SPARKPROF_EMBED(sparkprof_server_page, SPARKPROF_WEB_OUTPUT "/server.html");
SPARKPROF_EMBED(sparkprof_server_script, SPARKPROF_WEB_OUTPUT "/server.js");
SPARKPROF_EMBED(sparkprof_server_fleet_script, SPARKPROF_WEB_OUTPUT "/server_fleet.js");
SPARKPROF_EMBED(sparkprof_server_style, SPARKPROF_WEB_OUTPUT "/server.css");

namespace sparkprof {
namespace {

std::string_view Between(const char* begin, const char* end) { return {begin, static_cast<size_t>(end - begin)}; }

}  // namespace

std::string_view ReportTemplate() { return Between(sparkprof_report_template_begin, sparkprof_report_template_end); }
std::string_view FlameSvgScript() { return Between(sparkprof_flame_svg_script_begin, sparkprof_flame_svg_script_end); }
std::string_view HeatmapPage() { return Between(sparkprof_heatmap_page_begin, sparkprof_heatmap_page_end); }
std::string_view HeatmapScript() { return Between(sparkprof_heatmap_script_begin, sparkprof_heatmap_script_end); }
std::string_view FleetPage() { return Between(sparkprof_fleet_page_begin, sparkprof_fleet_page_end); }
std::string_view ComparePage() { return Between(sparkprof_compare_page_begin, sparkprof_compare_page_end); }
std::string_view ServerPage() { return Between(sparkprof_server_page_begin, sparkprof_server_page_end); }
std::string_view ServerFleetScript() {
  return Between(sparkprof_server_fleet_script_begin, sparkprof_server_fleet_script_end);
}
std::string_view ServerScript() { return Between(sparkprof_server_script_begin, sparkprof_server_script_end); }
std::string_view ServerStyle() { return Between(sparkprof_server_style_begin, sparkprof_server_style_end); }

}  // namespace sparkprof
