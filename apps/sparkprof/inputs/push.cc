// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>

#include "analysis/selection/foreign_application.h"
#include "base/time.h"
#include "event_log/event_log_ends.h"
#include "formats/profile_formats.h"
#include "inputs/input_options.h"
#include "inputs/inputs.h"
#include "inputs/profile_input.h"
#include "inputs/send_recordings.h"
#include "inputs/server_options.h"
#include "loader/application_loader.h"
#include "model/hash_bytes.h"
#include "model/samples/profile_builder.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "recording/event_log_recording.h"
#include "recording/profile_recording.h"
#include "recording/recordings.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxProfileBytes = size_t{1} << 30;

struct PushOptions {
  std::vector<std::string> paths;
  std::string group;  // for profiles of other tools
  InputOptions input;
  CollectorOptions server;
};

// The recordings at a path; empty if there are none.
Result<std::vector<std::string>> RecordingsAt(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return RecordingsBelow(path);
  return IsRecording(path, "") ? std::vector<std::string>{path} : std::vector<std::string>{};
}

// Sends a profile of another tool as a separate recording.
Result<void> SendProfile(const Input& input, const std::string& group, RecordingSender* sender) {
  Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) return tl::unexpected(source.error());
  Result<std::string> content = ReadAll(source->get(), kMaxProfileBytes, input.path);
  if (!content) return tl::unexpected(content.error());
  const ProfileFormat* format = RecognizeProfileFormat(std::string_view(*content).substr(0, kFormatHeadSize));
  if (format == nullptr) return Fail(fmt::format("{}: unknown format of a profile", input.path));
  const uint64_t key = HashBytes(*content);
  ProfileBuilder builder({.name = input.path, .keep_threads = true, .bucket_ns = kNanosPerSecond});
  const Result<void> read =
      ReadLocalProfile(input.path, [&] { return format->read(StringSource(std::move(*content)), &builder); });
  if (!read) return read;
  Application foreign = ForeignApplication(builder.Take());
  const int64_t length_ns = foreign.end_ns - foreign.start_ns;
  ProfileUpload upload{.bucket_ns = kNanosPerSecond, .key = key, .is_complete = true};
  upload.name = fs::path(input.path).filename().string();
  upload.id = fmt::format("{}{:016x}", kProfileIdPrefix, HashBytes(fmt::format("{} {}", upload.name, key)));
  upload.group = group.empty() ? upload.name : group;
  upload.labels = {{"format", std::string(format->name)}};
  struct stat file {};
  // Files in archives have no modification time.
  const bool has_time = stat(input.parts.front().path.c_str(), &file) == 0;
  upload.end_ns = has_time ? file.st_mtim.tv_sec * kNanosPerSecond + file.st_mtim.tv_nsec : EpochNanos();
  upload.start_ns = foreign.start_ns >= kFirstEpochTime ? foreign.start_ns : upload.end_ns - length_ns;
  upload.end_ns = upload.start_ns + length_ns;
  Result<void> sent;
  WriteProfileRecording(std::move(foreign.profile), upload, [&](std::string_view block) {
    if (sent) sent = sender->Add(block);
  });
  return sent;
}

// Sends the events of an event log unchanged, for the server's Spark REST API.
Result<void> SendEventLog(const Input& input, RecordingSender* sender) {
  const Result<std::unique_ptr<ByteSource>> beginning = input.Open();
  if (!beginning) return tl::unexpected(beginning.error());
  const Result<std::optional<EventLogHead>> head = ReadEventLogHead(beginning->get(), input.path);
  // Spark does not list a log without an application start event.
  if (!head || !*head) return {};
  Result<std::unique_ptr<ByteSource>> log = input.Open();
  if (!log) return tl::unexpected(log.error());
  const EventLogUpload upload{.application_id = (*head)->id.empty() ? input.application_id : (*head)->id,
                              .attempt = (*head)->attempt,
                              .name = (*head)->name,
                              .spark_version = (*head)->spark_version};
  if (upload.application_id.empty()) return {};
  Result<void> sent;
  // Sends the readable part of a damaged log; loading the application has already reported the damage.
  (void)WriteEventLogRecording(std::move(*log), upload, [&](std::string_view block) {
    if (sent) sent = sender->Add(block);
  });
  return sent;
}

// Sends the files that a job left behind, read like in `sparkprof analyze`, one application after the other. If there
// are none, prints the reason and sends nothing.
Result<void> SendApplications(const std::string& path, const InputOptions& options, RecordingSender* sender) {
  const Result<std::optional<LogZone>> zone = options.Zone();
  if (!zone) return tl::unexpected(zone.error());
  Result<ApplicationLoader> loader =
      ApplicationLoader::Find({path}, {.limits = options.Limits(), .event_logs = options.EventLog(), .zone = *zone});
  if (!loader) return tl::unexpected(loader.error());
  const std::vector<Unrecognized>& unrecognized = loader->inputs().unrecognized;
  if (loader->applications().empty()) {
    const std::string none =
        fmt::format("{}: no event log, text log or record of a profiler{}", path,
                    unrecognized.empty() ? "" : fmt::format("; {}: {}", unrecognized[0].path, unrecognized[0].reason));
    if (!AreReadable({path})) return Fail(none);
    Complain(none);
    return {};
  }
  for (const std::string& note : loader->inputs().notes) Complain(note);
  Result<void> sent;
  for (size_t row = 0; sent && row < loader->applications().size(); ++row) {
    std::vector<InputOutcome> outcomes;
    for (const Application& application : loader->Read(row, &outcomes)) {
      WriteRecording(application, [&](std::string_view block) {
        if (sent) sent = sender->Add(block);
      });
    }
    for (const InputOutcome& outcome : outcomes) {
      if (!outcome.problem.empty()) Complain(fmt::format("{}: {}", outcome.input->path, outcome.problem));
    }
  }
  if (!unrecognized.empty()) {
    Complain(fmt::format("{} unrecognized files, the first is {}: {}", unrecognized.size(), unrecognized[0].path,
                         unrecognized[0].reason));
  }
  return sent;
}

Result<void> SendPath(const std::string& path, const PushOptions& options, RecordingSender* sender) {
  const Result<std::vector<std::string>> files = RecordingsAt(path);
  if (!files) return tl::unexpected(files.error());
  if (!files->empty()) {
    for (const std::string& file : *files) {
      if (Result<void> sent = SendRecording(file, sender); !sent) return sent;
    }
    return {};
  }
  const Result<Inputs> inputs = FindInputs({path}, options.input.Limits());
  if (!inputs) return tl::unexpected(inputs.error());
  const std::vector<const Input*> profiles = inputs->Of(InputKind::kProfile);
  for (const Input* profile : profiles) {
    if (Result<void> sent = SendProfile(*profile, options.group, sender); !sent) return sent;
  }
  if (!profiles.empty() && profiles.size() == inputs->inputs.size()) return {};
  if (Result<void> sent = SendApplications(path, options.input, sender); !sent) return sent;
  for (const Input* log : inputs->Of(InputKind::kEventLog)) {
    if (Result<void> sent = SendEventLog(*log, sender); !sent) return sent;
  }
  return {};
}

int RunPush(const PushOptions& options, const CLI::App& command) {
  Result<RecordingSender> created = RecordingSender::Create(options.server);
  if (!created) return Misuse(command, created.error().message);
  RecordingSender& sender = *created;
  const Progress progress(fmt::format("sending to {}", options.server.server));
  for (const std::string& path : options.paths) {
    if (const Result<void> sent = SendPath(path, options, &sender); !sent) return Complain(sent.error().message);
  }
  if (const Result<void> sent = sender.Flush(); !sent) return Complain(sent.error().message);
  Complain(fmt::format("sent {} block{}, {:.1f} MB", sender.Blocks(), sender.Blocks() == 1 ? "" : "s",
                       static_cast<double>(sender.Bytes()) / 1e6));
  return sender.Blocks() == 0 ? kExitNo : kExitSuccess;
}

}  // namespace

std::function<int()> DefinePush(CLI::App& command) {
  const auto options = std::make_shared<PushOptions>();
  command
      .add_option("PATH", options->paths,
                  "Recordings, profiles of any format, event logs, text logs, and folders of them")
      ->required();
  AddOption(command, "--group GROUP", &options->group,
            "Group of applications; of profiles of other tools (default: the file's name)");
  options->server.AddTo(command);
  options->input.AddLimitsTo(command);
  options->input.AddThreadsTo(command);
  options->input.AddZoneTo(command);
  command.footer(
      "Sending the same recording again changes nothing.\n"
      "Examples:\n"
      "  sparkprof push sparkprof-output/recording.sprof --server http://127.0.0.1:8320\n"
      "  sparkprof push profile.jfr cpu.pb.gz --group checkout --server http://127.0.0.1:8320\n"
      "  sparkprof push eventlogs/ --server https://sparkprof.example.org --token-file token");
  return [options, &command] { return RunPush(*options, command); };
}

}  // namespace sparkprof
