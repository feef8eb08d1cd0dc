// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/application.h"
#include "text_log/log_reader.h"

namespace sparkprof {

struct TextLogOptions {
  bool templates = true;  // false: jobs, stages, tasks and executors only, no Application::logs
};

// Feeds the text logs of one application, drivers' and executors', into it: jobs, stages, tasks, executors, and its log
// records with their templates.
//   TextLogReader reader(&application);
//   for each log: reader.BeginFile("…/stderr"); reader.AddLines(block) …; reader.EndFile();
//   reader.Finish();
// Reads several hundred MB/s without templates. Bounded memory, apart from the tasks and stages.
class TextLogReader {
 public:
  explicit TextLogReader(Application* application, TextLogOptions options = {});
  ~TextLogReader();
  TextLogReader(const TextLogReader&) = delete;
  TextLogReader& operator=(const TextLogReader&) = delete;

  void BeginFile(std::string_view name, const LogReaderOptions& options = {});  // its display path
  void AddLines(std::string_view lines);  // complete lines; the last one of a log needs no newline
  void EndFile();
  void Finish();  // call once, at the end

  bool IsDriver() const;  // about the last file

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
