// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "base/io/output_file.h"
#include "base/result.h"
#include "model/application.h"
#include "render/writers/table_writers.h"

namespace sparkprof {

// Outputs of `sparkprof analyze`; empty = not written.
struct AnalyzeTargets {
  std::string report;     // HTML file: the report, or the index of several
  std::string recording;  // one file for all applications
  std::string csv;        // folder; with several applications, it contains a folder for each
  CsvTexts csv_texts = CsvTexts::kGuarded;
  std::string source = {};  // folder with source code for the report
};

// Writes the files of `sparkprof analyze`, application by application. Each file appears completely or not at all.
class AnalyzeFiles {
 public:
  // `several`: there is more than one application.
  AnalyzeFiles(AnalyzeTargets targets, bool several) : targets_(std::move(targets)), several_(several) {}

  Result<void> Begin();

  // Writes all files except the report. Returns the path for the application's report; empty if none is requested.
  Result<std::string> Add(const Application& application, const Answers& answers);
  // Writes the report to that path. Must be the last use of the application: it merges the samples of both languages.
  Result<void> WriteReport(Application* application, const Answers& answers, const std::string& path);

  Result<void> Finish();

  // Kind and path of each file, for display.
  std::vector<std::pair<std::string, std::string>> Written() const;

 private:
  struct IndexEntry {
    std::string file;  // relative to the index
    std::string id, name;
    std::vector<std::string> lines;
    size_t findings = 0;
  };

  Result<void> WriteTables(const Application& application, const Answers& answers, const std::string& folder);
  std::string UnusedName(const Application& application);
  std::string RenderIndex() const;

  const AnalyzeTargets targets_;
  const bool several_;
  std::optional<OutputFile> recording_;
  std::vector<IndexEntry> index_;
  std::vector<std::string> names_;  // file names used for applications so far
};

}  // namespace sparkprof
