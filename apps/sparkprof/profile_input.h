// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "base/result.h"
#include "model/application.h"
#include "model/profile_builder.h"
#include "recording_options.h"

namespace sparkprof {

// The name of sparkprof's own format among those of ProfileFormats().
inline constexpr std::string_view kRecordingFormat = "recording";

// Options of verbs that read profiles of any format.
struct ProfileInputOptions {
  std::string application;  // of recordings
  SelectionOptions selection;
  std::string input_format;  // --input-format, or --from with a format's name
  std::string state;         // --state
  bool leaks = false;
  double tail = 0.1;
  std::optional<double> latency_ms;
  bool addresses = false;
  bool source_lines = false;
  bool by_input = false;
  bool lenient = false;
  std::string event_flag;  // --cpu, --alloc, …: as --event cpu
  bool event_was_given = false;

  // `short_state`: -s is --state, as in jfrconv; in diff, -s is difffolded.pl's.
  void AddTo(CLI::App& command, bool short_state = true);
  // Resolves --from; call after parsing, before anything else.
  Result<void> Finish(const CLI::App& command);
  // kUnknown = of all states.
  Result<ThreadState> State() const;
  // Fails if an option is unsupported for this input format.
  Result<void> CheckFormat(std::string_view format, const std::string& input) const;
};

// The data of a profile that a command needs; the rest is not read.
struct ProfileNeeds {
  bool threads = false;
  bool answers = false;     // load everything that a page shows besides samples: tasks, states, findings
  int64_t bucket_ns = 0;    // 0 = no times
  bool keep_order = false;  // of samples, as in ProfileReadOptions

  bool OnlyStacks() const { return !threads && !answers && bucket_ns == 0 && !keep_order; }
};

struct LoadedProfile {
  std::string input;        // for messages
  Application application;  // with the samples that were selected
  EventId event = 0;        // row of the requested event
  Selection selection;
  std::optional<Answers> answers;  // with ProfileNeeds::answers, of recordings
  std::string note;                // names other applications of the recording; empty if there are none
  std::string why_empty;           // one sentence, when nothing was selected
};

// Reads all inputs ("-" = standard input) into one application and selects its samples. Prints skipped data to standard
// error.
Result<LoadedProfile> LoadProfile(const std::vector<std::string>& paths, const ProfileInputOptions& options,
                                  const ProfileNeeds& needs);

// The same for an application of a server, which is not changed: `application` after ChooseLanguage, `answers` of the
// application before it. The copy has Spark's tables only with ProfileNeeds::answers.
Result<LoadedProfile> SelectProfile(const Application& application, const Answers& answers,
                                    const ProfileInputOptions& options, const ProfileNeeds& needs);

// The same for a foreign profile in memory.
Result<LoadedProfile> SelectProfile(Profile profile, const ProfileInputOptions& options);

// A profile of another format, with all that it has.
struct ForeignProfile {
  std::string format;  // "jfr"
  Profile profile;     // its name is the input's
};

// Reads one foreign profile ("-" = standard input) whole. `format`: as --input-format gives it, empty to look.
Result<ForeignProfile> LoadForeignProfile(const std::string& path, const std::string& format, ProfileReadOptions read);

}  // namespace sparkprof
