// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "analysis/selection/time_range.h"
#include "base/text/text.h"
#include "capture/recording_options.h"
#include "loader/application_loader.h"
#include "loader/remote_inputs.h"
#include "top/top_source.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Changes whenever a file below `path` does. Empty if it cannot be listed.
std::string StateOf(const std::string& path) {
  std::string state;
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    const auto size = fs::file_size(file, error);
    if (!error) state += fmt::format("{} {}\n", file.string(), size);
  };
  if (!fs::is_directory(path, error)) {
    add(path);
    return state;
  }
  for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code is_no_file;
    if (entry->is_regular_file(is_no_file)) add(entry->path());
  }
  return state;
}

class ShownApplication : public TopSource {
 public:
  ShownApplication(std::string input, std::string asked, int64_t window_ns, const InputOptions& options,
                   const CollectorOptions& server)
      : input_(std::move(input)), asked_(std::move(asked)), window_ns_(window_ns), options_(options), server_(server) {}

  Result<std::vector<std::string>> Lines(const WorkTextStyle& style) override {
    if (const Result<void> read = ReadAgain(); !read) return tl::unexpected(read.error());
    if (!application_) return std::vector<std::string>{fmt::format("No application in {} yet.", ToOneLine(input_))};
    if (!work_) work_ = WorkNow(*application_, window_ns_);
    WorkTextStyle ordered = style;
    ordered.order = order_;
    return WorkLines(*work_, ordered);
  }

  bool OnKey(char key) override {
    if (key == 's') {
      order_ = static_cast<StageOrder>((static_cast<int>(order_) + 1) % 3);
    } else if (key == 'w') {
      std::swap(window_ns_, other_window_ns_);
      work_.reset();
    } else {
      return false;
    }
    return true;
  }

  std::string Keys() const override {
    return fmt::format("s sort ({})  w window ({})", StageOrderName(order_),
                       window_ns_ > 0 ? FormatDuration(window_ns_) : "whole run");
  }

 private:
  Result<void> ReadAgain() {
    if (IsUrl(input_)) return ReadUrl();
    std::string state = StateOf(input_);
    if (application_ && state == state_) return {};
    state_ = std::move(state);
    return Read(input_);
  }

  Result<void> ReadUrl() {
    Result<std::string> token = server_.Token();
    if (!token) return Fail("--token-file: " + token.error().message);
    RemoteInputs remote({.token = std::move(*token), .certificate_authorities = server_.certificate_authorities});
    const Result<std::string> path = remote.Fetch(input_, [](uint64_t) {});
    if (!path) return tl::unexpected(path.error());
    return Read(*path);
  }

  Result<void> Read(const std::string& path) {
    const Result<std::optional<LogZone>> zone = options_.Zone();
    if (!zone) return tl::unexpected(zone.error());
    Result<ApplicationLoader> loader = ApplicationLoader::Find(
        {path}, {.limits = options_.Limits(), .event_logs = options_.EventLog(), .zone = *zone, .log_records = true});
    if (!loader) return tl::unexpected(loader.error());
    std::optional<Application> best;
    for (size_t row = 0; row < loader->applications().size(); ++row) {
      std::vector<InputOutcome> outcomes;
      for (Application& application : loader->Read(row, &outcomes)) {
        if (!IsAsked(asked_, application.id, application.attempt)) continue;
        if (!best || IsBefore(*best, application)) best = std::move(application);
      }
    }
    if (!best) return {};
    application_ = std::move(best);
    work_.reset();
    return {};
  }

  // Whether `b` is preferred for display.
  static bool IsBefore(const Application& a, const Application& b) {
    return std::pair(!a.ended, RangeOf(a).start_ns) < std::pair(!b.ended, RangeOf(b).start_ns);
  }

  const std::string input_, asked_;
  int64_t window_ns_;
  int64_t other_window_ns_ = 0;  // the whole run
  const InputOptions options_;
  const CollectorOptions server_;
  StageOrder order_ = StageOrder::kRunning;
  std::string state_;  // state of the files when they were read
  std::optional<Application> application_;
  std::optional<CurrentWork> work_;  // for application_
};

}  // namespace

std::unique_ptr<TopSource> ApplicationTop(std::string input, std::string asked, int64_t window_ns,
                                          const InputOptions& options, const CollectorOptions& server) {
  return std::make_unique<ShownApplication>(std::move(input), std::move(asked), window_ns, options, server);
}

}  // namespace sparkprof
