// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/io/file.h"
#include "capture/record_inputs.h"
#include "inputs/profile_input.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "option_flags.h"
#include "output/profile_output.h"
#include "output/progress.h"
#include "pictures/draw.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ConvertVerbOptions {
  std::vector<std::string> paths;
  PictureRequest request;
  RecordStackOptions records;
  bool formats = false;
};

int RunConvert(ConvertVerbOptions options, const CLI::App& command) {
  PictureRequest& request = options.request;
  if (options.formats) return PrintFormats(request.json);
  if (options.paths.empty()) return Misuse(command, "INPUT is required");
  if (options.records.Any()) {
    if (request.json) request.format = "json";
    return WriteRecordStacks(options.records, {options.paths, request.output, request.format}, command);
  }
  const Result<bool> named_after_input = FinishRequest(PictureKind::kConversion, &options.paths, &request);
  if (!named_after_input) return Misuse(command, named_after_input.error().message);
  if (request.format.empty() && ProfileWriterForPath(request.output) == nullptr) {
    for (const std::string& path : options.paths) {
      if (path != "-" && access(path.c_str(), F_OK) != 0) return Complain(SystemError(path, "cannot open").message);
    }
    return Misuse(command, "standard output: unknown output format; use --format");
  }
  Result<LoadedProfile> loaded = LoadProfile(options.paths, request, request.Needs());
  if (!loaded) return Complain(loaded.error().message);
  if (!loaded->why_empty.empty()) return Complain(loaded->why_empty, kExitNo);
  const Progress progress("converting");
  if (const Result<void> shown = Show(request.TransformForWriter(), request.event_was_given, &*loaded); !shown) {
    return Complain(shown.error().message);
  }
  const ProfileWriteOptions write{.event = loaded->event,
                                  .answers = loaded->answers ? &*loaded->answers : nullptr,
                                  .note = loaded->note,
                                  .svg = request.svg};
  const Result<void> written = WriteProfile(loaded->application, request, write);
  if (!written) return Complain(written.error().message);
  if (*named_after_input) Complain(fmt::format("wrote {}", request.output));
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineConvert(CLI::App& command) {
  const auto options = std::make_shared<ConvertVerbOptions>();
  command.add_option("INPUT", options->paths, "Profiles of any format, followed by the output file unless -o names it");
  command.add_flag("--formats", options->formats, "List the formats that are read and written, and exit");
  AddOptions(command, options->request.Options(PictureKind::kConversion));
  AddShareTo(command);
  options->records.AddTo(command);
  AcceptUrls(command, &options->paths);
  command.footer(
      "The output's name or --format selects the format. All events are kept if the format supports it.\n"
      "Examples:\n"
      "  sparkprof convert profile.jfr profile.pb.gz\n"
      "  sparkprof convert perf.txt -o perf.speedscope.json\n"
      "  sparkprof convert profile.jfr --event alloc --format collapsed -o -\n"
      "  sparkprof convert --records Stacktrace.json.gz s_8_stack.json.gz -o stacks.folded\n"
      "  sparkprof convert --formats");
  return [options, &command] { return RunConvert(*options, command); };
}

}  // namespace sparkprof
