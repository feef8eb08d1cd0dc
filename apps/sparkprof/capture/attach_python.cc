// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>

#include "analysis/selection/selection.h"
#include "base/io/output_file.h"
#include "base/version.h"
#include "capture/attach.h"
#include "capture/attach_output.h"
#include "capture/python/tree_sampler.h"
#include "capture/recording_options.h"
#include "model/redaction/redaction.h"
#include "model/segment/block.h"
#include "output/profile_output.h"
#include "profiles/profile_transform.h"
#include "recording/application_builder.h"
#include "render/writers/profile_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

volatile sig_atomic_t asked_to_stop = 0;

void OnInterrupt(int) { asked_to_stop = 1; }

// The output; empty if there are no samples of the event. `top`: the text for a terminal.
Result<std::string> Render(const AttachRequest& request, bool lines, Segment&& segment, std::string* top) {
  RedactSegment(&segment);
  if (AsksForRecording(request, kSprof)) return EncodeBlock(segment);
  RecordedApplication recorded;
  recorded.id = segment.source.application_name;
  recorded.sources.emplace_back().segments.emplace_back(std::move(segment));
  recorded.sources.back().whole = true;
  Application application = BuildApplication(std::move(recorded));
  const Event event = *ParseEvent(request.events.front());
  const EventId row = application.profile.AddEvent(event);
  Result<Profile> profile = Transform(std::move(application.profile), {.lines = lines}, row);
  if (!profile) return tl::unexpected(profile.error());
  if (profile->samples.empty()) return std::string();
  application.profile = std::move(*profile);
  ProfileWriteOptions write;
  write.svg.title = fmt::format("{}: {}", application.name, EventLabel(event));
  write.svg.subtitle = fmt::format("process {}", request.pid);
  if (request.prints_top) *top = WrittenText(request.output, application.profile, 0);
  std::string text;
  OutputFile output = OutputFile::ToMemory(&text);
  if (const Result<void> written = WriterOf(request)->write(application, write, &output); !written) {
    return tl::unexpected(written.error());
  }
  if (const Result<void> written = output.Commit(); !written) return tl::unexpected(written.error());
  return text;
}

}  // namespace

int AttachToPython(const AttachRequest& request, const PythonAttachOptions& options) {
  if (const Result<void> good = CheckOutput(request, kSprof); !good) return Complain(good.error().message);
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  const int64_t below = options.subprocesses ? 0 : CountPythonDescendants(request.pid);
  const std::string hint =
      below == 0 ? "" : fmt::format("; {} of its subprocesses run Python, too: add --subprocesses", below);
  TreeSamplerReport report;
  Result<Segment> segment = SamplePythonTree({request.pid, options.subprocesses, request.duration_ns, request.interval},
                                             &asked_to_stop, &report);
  if (!segment) return Complain(segment.error().message);
  segment->source.sparkprof_version = Version();
  const bool has_samples = !segment->samples.empty();
  std::string top;
  const Result<std::string> text = Render(request, options.lines, std::move(*segment), &top);
  if (!text) return Complain(text.error().message);
  if (!has_samples || text->empty()) {
    Complain(fmt::format("process {}: no samples of {} in {} reads; nothing written{}{}", request.pid,
                         request.events.front(), report.samples,
                         has_samples ? "; it waited: --event wall shows where" : "", hint));
    return kExitNo;
  }
  const ProfileWriter* const writer = AsksForRecording(request, kSprof) ? nullptr : WriterOf(request);
  if (const Result<void> written = WriteOutput(request.output, *text, writer); !written) {
    return Complain(written.error().message);
  }
  if (const Result<void> printed = request.prints_top ? WriteOutput("-", top) : Result<void>(); !printed) {
    return Complain(printed.error().message);
  }
  fmt::print(stderr, "sparkprof: {} samples of {} Python process{}; {} late, {} torn, {} unreadable\n", report.samples,
             report.processes, report.processes == 1 ? "" : "es", report.late, report.torn, report.unreadable);
  if (!hint.empty()) Complain(fmt::format("process {}: samples of itself alone{}", request.pid, hint));
  return kExitSuccess;
}

}  // namespace sparkprof
