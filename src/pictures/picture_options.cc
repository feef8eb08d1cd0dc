// SPDX-License-Identifier: Apache-2.0
// Options of all pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/samples/sample.h"
#include "pictures/picture_request.h"

namespace sparkprof {
namespace {

constexpr OptionScope kCli = OptionScope::kCommandLine;
constexpr const char* kHidden = "";
constexpr const char* kSelectionGroup = "Selection";
constexpr const char* kStacksGroup = "Stacks";

void Append(RequestOptions more, RequestOptions* options) {
  options->insert(options->end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Options of async-profiler's converter; hidden in the help, which has --event.
RequestOptions EventFlags(PictureRequest* request) {
  RequestOptions options;
  const auto add = [&](std::string_view flag, std::string_view event) {
    options.push_back({.names = std::string(flag),
                       .scope = kCli,
                       .value = [request, event] { request->selection.event = event; },
                       .group = kHidden});
  };
  for (const Event event : kAllEvents) add(EventName(event), EventName(event));
  add("cpu-time", "cpu-time");
  add("nativemem", EventName(Event::kMalloc));
  add("trace", EventName(Event::kMethod));
  return options;
}

RequestOptions InputOptions(PictureRequest* request) {
  PictureRequest& r = *request;
  RequestOptions options{{.names = "application",
                          .scope = kCli,
                          .value = &r.application,
                          .help = "Select the application with this ID, or one of its attempts",
                          .type_name = "ID[/ATTEMPT]"}};
  Append(r.selection.Options({}), &options);
  Append(EventFlags(request), &options);
  RequestOptions reading{
      {.names = "input-format",
       .scope = kCli,
       .value = &r.input_format,
       .help = "Format of the input, if detection fails; see `sparkprof convert --formats`",
       .type_name = "FORMAT"},
      {.names = "input-unit",
       .scope = kCli,
       .value = &r.input_unit,
       .help =
           "Unit of the numbers of collapsed stacks, which state none; comparisons need samples for their confidence",
       .type_name = "UNIT",
       .choices = {"samples", "ns", "us", "ms", "s", "bytes"}},
      {.names = "tasks-of",
       .scope = kCli,
       .value = &r.tasks_of,
       .help = "Recording with the tasks that the samples of a host's profile belong to, by process, thread and time",
       .type_name = "RECORDING"},
      {.names = "state s",
       .value = &r.state,
       .help = "Select samples of runnable or sleeping threads (recordings, jfr, thread-dump)",
       .type_name = "STATE",
       .group = kSelectionGroup},
      {.names = "leaks leak",
       .scope = kCli,
       .value = &r.leaks,
       .help = "Show native memory that was never freed (recordings and jfr with nativemem)"},
      {.names = "tail",
       .scope = kCli,
       .value = &r.tail,
       .help =
           "With --leaks of jfr: ignore allocations in this last share of the time, 0 to 1; they may still be freed",
       .type_name = "SHARE",
       .range = NumberRange{0, 1},
       .shown_default = "0.1"},
      {.names = "latency",
       .scope = kCli,
       .value = &r.latency_ms,
       .help = "Select samples within spans and traced methods that took at least this long (jfr)",
       .type_name = "MS",
       .range = NumberRange{}},
      {.names = "addrs",
       .scope = kCli,
       .value = &r.addresses,
       .help = "Show addresses of functions without a name (perf)"},
      {.names = "srcline",
       .scope = kCli,
       .value = &r.source_lines,
       .help = "Show source lines of functions (perf script -F +srcline)"},
      {.names = "by-input",
       .scope = kCli,
       .value = &r.by_input,
       .help = "Add a root frame per input (not for recordings)"},
      {.names = "lenient",
       .scope = kCli,
       .value = &r.lenient,
       .help = "Skip unreadable input and report how much was skipped"},
  };
  for (RequestOption& option : reading) {
    if (option.group == nullptr) option.group = "Input";
  }
  Append(std::move(reading), &options);
  return options;
}

RequestOptions TransformOptions(PictureRequest* request) {
  PictureRequest& r = *request;
  ProfileTransform& t = r.transform;
  RequestOptions options{
      {.names = "include I", .value = &t.include, .help = "Keep stacks with a matching frame", .type_name = "RE2"},
      {.names = "exclude X", .value = &t.exclude, .help = "Drop stacks with a matching frame", .type_name = "RE2"},
      {.names = "focus",
       .value = &t.focus,
       .help = "Make the matching frame the root; drop other stacks",
       .type_name = "RE2"},
      {.names = "trim",
       .value = &t.trim,
       .help = "Merge everything below the matching frame into it",
       .type_name = "RE2"},
      {.names = "collapse-recursion", .value = &t.collapse_recursion, .help = "Merge recursive calls"},
      {.names = "lines", .value = &r.lines, .help = "One frame per line of a function"},
      {.names = "no-lines", .value = &r.no_lines, .help = "One frame per function, without lines"},
      {.names = "simple-names simple", .value = &t.simple_names, .help = "Omit packages from names"},
      {.names = "merge-lambdas norm",
       .value = &t.merge_lambdas,
       .help = "Omit numbers from generated names: $$Lambda, GeneratedIteratorForCodegenStage"},
      {.names = "strip-hex", .value = &t.strip_hex, .help = "Replace addresses in names by 0x..."},
      {.names = "skip",
       .value = &t.skip,
       .help = "Drop this many frames at the root",
       .type_name = "NUMBER",
       .range = NumberRange{}},
      {.names = "kernel", .value = &t.annotate_kernel, .help = "Append _[k] to kernel frames"},
      {.names = "jit", .value = &t.annotate_jit, .help = "Append _[j] to compiled and _[i] to inlined frames"},
      {.names = "annotate ann",
       .value = [&t] { t.annotate_kernel = t.annotate_jit = true; },
       .help = "Both --kernel and --jit"},
      {.names = "threads t", .value = &t.threads, .help = "Add a root frame per thread"},
      {.names = "pid", .value = &t.process_ids, .help = "Append the process to the root: java-12"},
      {.names = "tid", .value = &t.thread_ids, .help = "Append process and thread to the root: java-12/13"},
      {.names = "reverse r", .value = &t.reverse, .help = "Merge stacks from their leaves"},
  };
  for (RequestOption& option : options) option.group = kStacksGroup;
  return options;
}

RequestOptions SvgTable(PictureRequest* request) {
  PictureRequest& r = *request;
  SvgOptions& svg = r.svg;
  RequestOptions options{
      {.names = "title", .value = &svg.title, .help = "Title", .type_name = "TEXT"},
      {.names = "subtitle", .value = &svg.subtitle, .help = "Second line", .type_name = "TEXT"},
      {.names = "notes", .value = &svg.notes, .help = "Description", .type_name = "TEXT"},
      {.names = "width",
       .value = &svg.width,
       .help = "Width in pixels",
       .type_name = "PIXELS",
       .range = NumberRange{100, 100'000}},
      {.names = "height",
       .value = &svg.frame_height,
       .help = "Height of a frame",
       .type_name = "PIXELS",
       .range = NumberRange{4, 200}},
      {.names = "minwidth",
       .value = &r.min_width,
       .help = "Minimum width of a frame: pixels, or percent such as 0.5%",
       .type_name = "WIDTH"},
      {.names = "depth",
       .value = &svg.max_depth,
       .help = "Maximum number of frames of a stack",
       .type_name = "NUMBER",
       .range = NumberRange{1}},
      {.names = "countname", .value = &svg.count_name, .help = "Unit of the weights: samples", .type_name = "TEXT"},
      {.names = "total",
       .value = &svg.total,
       .help = "Total weight, if larger than the sum of all frames",
       .type_name = "NUMBER",
       .range = NumberRange{}},
      {.names = "factor",
       .value = &svg.factor,
       .help = "Multiply displayed weights by this",
       .type_name = "NUMBER",
       .range = NumberRange{.without_least = true}},
      {.names = "nametype", .value = &svg.name_type, .help = "Kind of the names: Function:", .type_name = "TEXT"},
      {.names = "colors color",
       .value = &r.palette,
       .help = fmt::format("Colors: {}", PaletteNames()),
       .type_name = "PALETTE"},
      {.names = "bgcolors bgcolor",
       .value = &r.background,
       .help = "Background: yellow, blue, green, grey or #rrggbb",
       .type_name = "COLOR"},
      {.names = "hash", .value = &r.by_hash, .help = "Similar colors for similar names"},
      {.names = "random", .value = &r.random, .help = "Random colors"},
      {.names = "encoding", .value = &r.encoding, .help = "Encoding: UTF-8", .type_name = "NAME"},
      {.names = "inverted i", .value = &svg.inverted, .help = "Draw the root at the top"},
      {.names = "negate", .value = &svg.negate, .help = "Swap red and blue"},
  };
  for (RequestOption& option : options) option.group = "SVG, with the names of flamegraph.pl";
  return options;
}

RequestOptions OutputOptions(PictureRequest* request) {
  PictureRequest& r = *request;
  std::vector<std::string> names;
  for (const ProfileWriter& writer : ProfileWriters()) names.emplace_back(writer.name);
  RequestOptions options{
      {.names = "format",
       .value = &r.format,
       .help = "Output format (default: by the output's name)",
       .type_name = "FORMAT",
       .choices = std::move(names)},
      {.names = "json", .scope = kCli, .value = &r.json, .help = "Print JSON; same as --format json"},
      {.names = "output o",
       .scope = kCli,
       .value = &r.output,
       .help = "Output file; its name selects the format (default: standard output)",
       .type_name = "FILE"},
      {.names = "highlight",
       .value = &r.svg.highlight,
       .help = "Highlight matching frames (svg, html)",
       .type_name = "RE2",
       .group = kStacksGroup},
  };
  return options;
}

RequestOptions DiffOptions(PictureRequest* request) {
  PictureRequest& r = *request;
  return {
      {.names = "normalize normalized normalize normalized n",
       .value = &r.normalize,
       .help = "Compare shares: scale BEFORE so that both totals are equal"},
      {.names = "absolute", .scope = kCli, .value = &r.absolute, .help = "Compare weights (the default)"},
      {.names = "top",
       .scope = kCli,
       .value = &r.top,
       .help = "Number of rows in the text",
       .type_name = "NUMBER",
       .range = NumberRange{},
       .shown_default = "30"},
      {.names = "fail-above",
       .scope = kCli,
       .value = &r.fail_above,
       .help =
           "Exit with code 1 if AFTER is more than this percentage above BEFORE; a frame, in percent of the total of "
           "BEFORE",
       .type_name = "PERCENT",
       .range = NumberRange{}},
      {.names = "min-confidence",
       .scope = kCli,
       .value = &r.min_confidence,
       .help = "With --fail-above: ignore changes with less confidence",
       .type_name = "PERCENT",
       .range = NumberRange{0, 100}},
  };
}

}  // namespace

RequestOptions PictureRequest::Options(PictureKind kind) {
  RequestOptions options = OutputOptions(this);
  RequestOptions reading = InputOptions(this);
  Append(TransformOptions(this), &reading);
  if (kind == PictureKind::kDiff) {
    // On a server, both sides of a comparison are already selected and transformed.
    for (RequestOption& option : reading) option.scope = kCli;
    Append(DiffOptions(this), &options);
  }
  Append(std::move(reading), &options);
  if (kind == PictureKind::kFlame) {
    options.push_back({.names = "flamechart",
                       .value = &svg.flame_chart,
                       .help = "Draw samples in order of time; merge only adjacent frames (svg)",
                       .group = kStacksGroup});
    options.push_back({.names = "counts",
                       .value = &counts,
                       .help = "Count samples instead of ns or bytes (collapsed)",
                       .group = kStacksGroup});
  }
  Append(SvgTable(this), &options);
  return options;
}

}  // namespace sparkprof
