// SPDX-License-Identifier: Apache-2.0
#include "output/analyze_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/python/stitch.h"
#include "analysis/tables/application_tables.h"
#include "analysis/tables/tables.h"
#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/characters.h"
#include "base/text/escaped_text.h"
#include "inputs/shared_options.h"
#include "output/report_files.h"
#include "recording/recordings.h"
#include "render/report/report_data.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Keeps characters that are valid in file names on all systems.
std::string FileNameOf(std::string_view id) {
  std::string name;
  for (const char c : id) {
    const bool plain = IsAlnum(c) || c == '-' || c == '_' || c == '.';
    name += plain ? c : '_';
  }
  while (name.starts_with('.')) name.erase(0, 1);
  constexpr size_t kMaxName = 100;
  return name.empty() ? "application" : name.substr(0, kMaxName);
}

Result<void> WriteTable(const Table& table, const std::string& folder, CsvTexts texts) {
  Result<OutputFile> file = OutputFile::Create(fmt::format("{}/{}.csv", folder, table.name));
  if (!file) return tl::unexpected(file.error());
  WriteCsv(
      table, [&](std::string_view piece) { file->Append(piece); }, texts);
  return file->Commit();
}

}  // namespace

Result<void> AnalyzeFiles::Begin() {
  for (const std::string& target : {targets_.report, targets_.recording}) {
    const std::string folder = fs::path(target).parent_path().string();
    if (folder.empty()) continue;
    if (const Result<void> made = CreateFolders(folder); !made) return made;
  }
  if (!targets_.recording.empty()) {
    Result<OutputFile> file = OutputFile::Create(targets_.recording);
    if (!file) return tl::unexpected(file.error());
    recording_.emplace(std::move(*file));
  }
  return targets_.csv.empty() ? Result<void>() : CreateFolders(targets_.csv);
}

std::string AnalyzeFiles::UnusedName(const Application& application) {
  const std::string name =
      FileNameOf(application.attempt.empty() ? application.id : application.id + "_" + application.attempt);
  std::string unused = name;
  for (int number = 2; std::find(names_.begin(), names_.end(), unused) != names_.end(); ++number)
    unused = fmt::format("{}-{}", name, number);
  names_.push_back(unused);
  return unused;
}

Result<std::string> AnalyzeFiles::Add(const Application& application, const Answers& answers) {
  const std::string name = UnusedName(application);
  // A log may contain several applications, which is unknown before it is read.
  const bool is_own = several_ || names_.size() > 1;
  if (recording_) WriteRecording(application, [&](std::string_view block) { recording_->Append(block); });
  if (!targets_.csv.empty()) {
    const std::string folder = is_own ? fmt::format("{}/{}", targets_.csv, name) : targets_.csv;
    if (const Result<void> written = WriteTables(application, answers, folder); !written)
      return tl::unexpected(written.error());
  }
  std::string path = targets_.report;
  if (path.empty()) return path;
  if (is_own) {
    const fs::path index(targets_.report);
    const std::string file = fmt::format("{}-{}.html", index.stem().string(), name);
    path = (index.parent_path() / file).string();
    if (several_) index_.push_back({file, application.id, application.name, answers.lines, answers.findings.size()});
  }
  return path;
}

Result<void> AnalyzeFiles::WriteReport(Application* application, const Answers& answers, const std::string& path) {
  if (path.empty()) return {};
  ChooseLanguage(application, Language::kMerged, /*fold=*/false);
  const Result<SourceFiles> sources = SourcesOf(*application, targets_.source);
  if (!sources) return tl::unexpected(sources.error());
  const Result<std::string> report =
      RenderReport(*application, answers, {.start_tab = {}, .note = {}, .sources = &*sources});
  if (!report) return tl::unexpected(report.error());
  if (Result<void> written = WriteFile(path, *report); !written) return written;
  RememberReport(path);
  return {};
}

Result<void> AnalyzeFiles::WriteTables(const Application& application, const Answers& answers,
                                       const std::string& folder) {
  if (const Result<void> made = CreateFolders(folder); !made) return made;
  const TableData data{.sources = {{&application, {}}}};
  for (const std::string_view name : {"jobs", "stages", "tasks", "executors", "sql", "storage", "streaming",
                                      "environment", "concurrency", "series"}) {
    const Result<Table> table = FindApplicationTable(name).value()->make(data);
    if (!table) return tl::unexpected(table.error());
    if (const Result<void> written = WriteTable(*table, folder, targets_.csv_texts); !written) return written;
  }
  for (const Table& table : {FindingsTable(answers.findings), LogTemplatesTable(application)}) {
    if (const Result<void> written = WriteTable(table, folder, targets_.csv_texts); !written) return written;
  }
  return {};
}

std::string AnalyzeFiles::RenderIndex() const {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>Applications · sparkprof</title><style>"
      ":root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:24px "
      "auto;max-width:100ch;padding:0 16px}"
      "article{border:1px solid;border-color:color-mix(in srgb,currentColor 25%,transparent);border-radius:3px;"
      "padding:8px 12px;margin:12px 0}h2{font-size:15px;margin:0}pre{margin:4px 0 "
      "0;white-space:pre-wrap;font-size:12px}"
      "</style><h1>Applications</h1>";
  for (const IndexEntry& entry : index_) {
    html += fmt::format("<article><h2><a href=\"{}\">{}</a></h2><pre>", EscapeXml(entry.file),
                        EscapeXml(entry.name.empty() ? entry.id : entry.name));
    for (const std::string& line : entry.lines) html += EscapeXml(line) + "\n";
    html += fmt::format("{} {}</pre></article>", entry.findings, entry.findings == 1 ? "finding" : "findings");
  }
  return html + "\n";
}

Result<void> AnalyzeFiles::Finish() {
  if (recording_) {
    if (const Result<void> written = recording_->Commit(); !written) return written;
  }
  if (index_.empty()) return {};
  if (Result<void> written = WriteFile(targets_.report, RenderIndex()); !written) return written;
  RememberReport(targets_.report);
  return {};
}

std::vector<std::pair<std::string, std::string>> AnalyzeFiles::Written() const {
  std::vector<std::pair<std::string, std::string>> written;
  if (!index_.empty()) written.emplace_back("Index", targets_.report);
  if (!targets_.recording.empty()) written.emplace_back("Recording", targets_.recording);
  if (!targets_.csv.empty()) written.emplace_back("Tables", targets_.csv);
  return written;
}

}  // namespace sparkprof
