// SPDX-License-Identifier: Apache-2.0
#include "output/report_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "analysis/answers.h"
#include "base/io/file.h"
#include "base/io/output_file.h"
#include "capture/recording_options.h"
#include "inputs/shared_options.h"
#include "output/summary_text.h"
#include "profiles/profile_transform.h"
#include "render/report/info.h"
#include "render/report/report_data.h"
#include "render/svg/svg_writer.h"

namespace sparkprof {
namespace {

// flame.svg: all samples of the first event that has any, preferably cpu.
Result<void> WriteFlameOfWhole(const Application& application, const std::string& path) {
  Selection selection;
  selection.without_idle = true;
  std::vector<uint32_t> rows;
  Event event = Event::kCpu;
  for (const Event candidate : kAllEvents) {
    selection.event = EventName(candidate);
    if (auto selected = SelectSamples(application, selection)) rows = std::move(*selected);
    if (rows.empty()) continue;
    event = candidate;
    break;
  }
  Profile selected = application.profile;
  KeepSamples(rows, &selected);
  const EventId row = selected.AddEvent(event);
  const Result<Profile> profile =
      Transform(std::move(selected), {.lines = false, .python_lines = true, .fold_pyspark = true}, row);
  if (!profile) return tl::unexpected(profile.error());
  Result<OutputFile> file = OutputFile::Create(path);
  if (!file) return tl::unexpected(file.error());
  SvgOptions options;
  options.title = fmt::format("{}: {}", application.name, EventLabel(event));
  // Draws the root at the top, because hundreds of recursive frames would push it out of view; like the report, omits
  // frames below half a pixel.
  options.inverted = true;
  options.min_width = 0.5;
  options.subtitle = rows.empty() ? "no samples" : "";
  WriteFlameSvg(*profile, 0, std::nullopt, options, &*file);
  return file->Commit();
}

}  // namespace

Result<void> WriteReportFiles(const std::vector<std::string>& recordings, const std::string& output_dir,
                              const std::string& source, const std::optional<PriceList>& prices,
                              std::string* summary_text) {
  Result<LoadedRecording> loaded = Load({recordings, {}});
  if (!loaded) return tl::unexpected(loaded.error());
  const Application& application = loaded->Longest();
  // Before the samples of both languages are merged.
  const std::vector<Answers> all = AnswerAll(loaded->applications, prices);
  const Answers& answers =
      all[static_cast<size_t>(std::find(loaded->applications.begin(), loaded->applications.end(), &application) -
                              loaded->applications.begin())];
  const std::string info = RenderInfoJson(RunsOf(loaded->applications, all), &loaded->recording.status) + "\n";
  loaded->ShowLanguage(Language::kMerged, /*fold_pyspark=*/false);
  const Result<SourceFiles> sources = SourcesOf(application, source);
  if (!sources) return tl::unexpected(sources.error());
  const Result<std::string> report =
      RenderReport(application, answers, {.start_tab = {}, .note = loaded->OthersNote(), .sources = &*sources});
  if (!report) return tl::unexpected(report.error());

  const std::string folder = output_dir.empty() ? std::string(".") : output_dir;
  const std::pair<const char*, const std::string*> files[] = {{"report.html", &*report}, {"summary.json", &info}};
  for (const auto& [name, content] : files) {
    if (Result<void> written = WriteFile(fmt::format("{}/{}", folder, name), *content); !written) return written;
  }
  RememberReport(folder + "/report.html");
  if (Result<void> written = WriteFlameOfWhole(application, folder + "/flame.svg"); !written) return written;
  *summary_text = SummaryText(answers, TerminalStyle(STDERR_FILENO));
  if (!loaded->OthersNote().empty()) *summary_text += loaded->OthersNote() + "\n";
  return {};
}

}  // namespace sparkprof
