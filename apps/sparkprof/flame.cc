// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "analysis/answers.h"
#include "analysis/flame_tree.h"
#include "apps/sparkprof/progress.h"
#include "apps/sparkprof/recording_options.h"
#include "apps/sparkprof/verb.h"
#include "render/collapsed.h"
#include "render/flame_json.h"
#include "render/flame_svg.h"
#include "render/report_data.h"

namespace sparkprof {
namespace {

struct FlameVerbOptions {
  RecordingOptions recording;
  SelectionOptions selection;
  std::string format;
  std::string output;
  bool json = false;
  bool counts = false;
  FlameOptions tree;

  std::string Format() const {
    if (!format.empty()) return format;
    if (json) return "json";
    // The output's name says it, where there is one.
    for (const char* suffix : {"html", "svg", "json"}) {
      if (output.ends_with(fmt::format(".{}", suffix))) return suffix;
    }
    return "collapsed";
  }
};

Result<std::string> Render(const FlameVerbOptions& options, const LoadedRecording& loaded, const Selection& selection,
                           const std::vector<uint32_t>& rows) {
  const Application& application = loaded.Longest();
  const std::string format = options.Format();
  if (format == "html") {
    return RenderReport(application, Answer(application), rows, {.start_tab = "flame", .note = loaded.OthersNote()});
  }
  const FlameTree tree = BuildFlameTree(application, rows, options.tree);
  if (format == "svg") {
    return RenderFlameSvg(application, tree,
                          {.title = fmt::format("{}: {}", application.name, EventLabel(*selection.event)),
                           .subtitle = Describe(selection),
                           .event = *selection.event});
  }
  if (format == "json") return RenderFlameJson(application, tree, *selection.event) + "\n";
  return RenderCollapsed(application, tree, options.counts);
}

int RunFlame(const FlameVerbOptions& options) {
  const Result<Selection> selection = options.selection.Parse();
  if (!selection) return Complain(selection.error().message);
  if (options.counts && options.Format() != "collapsed") return Complain("--counts goes with --format collapsed only");
  const Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  const Application& application = loaded->Longest();
  if (!loaded->OthersNote().empty()) Complain(fmt::format("showing {}. {}", application.id, loaded->OthersNote()));

  const Progress progress("drawing");
  const Result<std::vector<uint32_t>> rows = SelectSamples(application, *selection);
  if (!rows) return Complain(rows.error().message);
  if (rows->empty()) {
    return Complain(fmt::format("{}: {}", loaded->name, ExplainNoSamples(application, *selection)), kExitNo);
  }
  const Result<std::string> text = Render(options, *loaded, *selection, *rows);
  if (!text) return Complain(text.error().message);
  const Result<void> written = WriteOutput(options.output, *text);
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineFlame(CLI::App& command) {
  const auto options = std::make_shared<FlameVerbOptions>();
  options->recording.AddTo(command);
  options->selection.AddTo(command);
  command
      .add_option("--format", options->format,
                  "collapsed, html, svg or json; by the output's name when it is not given")
      ->check(CLI::IsMember({"collapsed", "html", "svg", "json"}));
  command.add_flag("--json", options->json, "The same as --format json");
  command.add_option("-o,--output", options->output, "Write to this file instead of standard output")
      ->type_name("FILE");
  command.add_flag("--counts", options->counts, "Count samples instead of ns or bytes (collapsed)");
  command.add_flag("--reverse", options->tree.reverse, "Callers above: merge stacks from their leaves");
  command.add_flag("--lines", options->tree.lines, "Tell the lines of a function apart");
  command.footer(
      "Prints root;...;leaf WEIGHT by default: ns for cpu, wall and lock, bytes for alloc.\n"
      "Exits 1 when nothing is selected.\n"
      "Examples:\n"
      "  sparkprof flame recording.sprof --stage 3 -o stage3.svg\n"
      "  sparkprof flame recording.sprof --event wall --task 1042 --format collapsed\n"
      "  sparkprof flame recording.sprof --event alloc --from 10s --to 20s -o alloc.html");
  return [options] { return RunFlame(*options); };
}

}  // namespace sparkprof
