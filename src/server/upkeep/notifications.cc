// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/notifications.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/costs/costs.h"
#include "base/io/private_file.h"
#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "http/http_client.h"
#include "server/applications/application_json.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

constexpr size_t kQueue = 1000;
constexpr int kTries = 5;
constexpr std::chrono::seconds kFirstPause{1};  // doubles after each attempt
constexpr std::chrono::seconds kTimeout{10};
// Skips older applications: the catalogue was rebuilt.
constexpr int64_t kNewsNs = 3600 * kNanosPerSecond;
constexpr int64_t kRememberNs = 48 * kNewsNs;
constexpr size_t kTextBytes = 300;  // maximum size of a title
constexpr size_t kFindingsInText = 3;

int RankOf(std::string_view severity) {
  for (const Severity known : {Severity::kHigh, Severity::kMedium, Severity::kLow}) {
    if (severity == SeverityName(known)) return static_cast<int>(known);
  }
  return 0;
}

// Escapes Slack and Mattermost markup: a name must not create links or mention a whole channel (<!here>, @channel).
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '@') {
      escaped += "@\xE2\x80\x8B";  // a zero-width space prevents the mention
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Readable(std::string_view text) { return Shorten(ToOneLine(RedactText(std::string(text))), kTextBytes); }

bool HasFailed(const ApplicationRow& row) {
  return row.status == ApplicationStatus::kFailed || row.status == ApplicationStatus::kIncomplete;
}

// Formats "duration 3 min, 1.8 times the median of the last 10 runs".
std::string DescribeRegression(const Regression& regression) {
  const double more =
      static_cast<double>(regression.value_ns) / static_cast<double>(std::max<int64_t>(1, regression.median_ns));
  return fmt::format("{} {}, {:.1f} times the median of the last {} runs",
                     regression.measure == "cpu" ? "CPU time" : "duration", FormatDuration(regression.value_ns), more,
                     regression.runs);
}

std::string TextOfNotification(const Notification& notification, const std::optional<PriceList>& prices,
                               const std::string& link) {
  const ApplicationRow& row = notification.application;
  std::string text = fmt::format("{} ({}, group {})", Escaped(Readable(row.name.empty() ? row.key.id : row.name)),
                                 Escaped(Readable(row.key.id)), Escaped(Readable(row.group)));
  if (row.status == ApplicationStatus::kFailed) text += " failed";
  if (row.status == ApplicationStatus::kIncomplete) text += " stopped without an end";
  if (!HasFailed(row)) text += " finished";
  if (const std::optional<double> cost = CostOf(row.core_ms, row.memory_mib_s, prices)) {
    text += ", cost " + CostText(*cost, prices->currency);
  }
  if (!row.verdict.empty()) text += "\n" + Escaped(Readable(row.verdict));
  for (const Regression& regression : notification.regressions)
    text += "\n• regression: " + DescribeRegression(regression);
  for (size_t i = 0; i < std::min(kFindingsInText, notification.findings.size()); ++i) {
    const FindingRow& finding = notification.findings[i];
    text += fmt::format("\n• {}: {}", finding.severity, Escaped(Readable(finding.title)));
  }
  if (notification.findings.size() > kFindingsInText) {
    text += fmt::format("\n• {} more findings", notification.findings.size() - kFindingsInText);
  }
  return text + "\n" + link;
}

}  // namespace

bool Notification::IsWorthSending() const {
  return HasFailed(application) || !findings.empty() || !regressions.empty();
}

std::string NotificationJson(const Notification& notification, const NotificationOptions& options) {
  const ApplicationRow& row = notification.application;
  const std::string link = fmt::format("{}/applications/{}", options.page, PercentEncode(row.key.id));
  JsonWriter json;
  json.BeginObject().Member("text", TextOfNotification(notification, options.prices, link)).Member("url", link);
  json.Key("application");
  WriteApplicationRow(row, options.prices, &json);
  json.Key("findings").BeginArray();
  for (const FindingRow& finding : notification.findings) {
    json.BeginObject().Member("rule", finding.rule).Member("severity", finding.severity);
    json.Member("title", Readable(finding.title));
    json.Member("gainSeconds", static_cast<double>(finding.gain_ns) / kNanosPerSecond).EndObject();
  }
  json.EndArray().Key("regressions").BeginArray();
  for (const Regression& regression : notification.regressions) {
    json.BeginObject().Member("measure", regression.measure);
    json.Member("seconds", static_cast<double>(regression.value_ns) / kNanosPerSecond);
    json.Member("medianSeconds", static_cast<double>(regression.median_ns) / kNanosPerSecond);
    json.Member("runs", regression.runs).EndObject();
  }
  return json.EndArray().EndObject().Take();
}

std::string WayBackJson(const std::string& group, const std::string& text, const NotificationOptions& options) {
  const std::string link = fmt::format("{}/groups/{}?view=auto", options.page, PercentEncode(group));
  JsonWriter json;
  json.BeginObject().Member(
      "text", fmt::format("group {}: automatic sizes {}\n{}", Escaped(Readable(group)), Escaped(Readable(text)), link));
  json.Member("url", link).Key("auto").BeginObject().Member("group", group).Member("reason", text);
  return json.EndObject().EndObject().Take();
}

Result<std::unique_ptr<Notifications>> Notifications::Open(NotificationOptions options, const std::string& folder,
                                                           Catalogue* catalogue, Log log) {
  std::unique_ptr<Notifications> notifications(
      new Notifications(std::move(options), folder, catalogue, std::move(log)));
  if (!notifications->options_.webhook) return notifications;
  if (Result<void> restored = notifications->Restore(); !restored) return tl::unexpected(restored.error());
  notifications->thread_ = std::thread([&notifier = *notifications] { notifier.Run(); });
  return notifications;
}

Notifications::~Notifications() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  woken_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Drops old notifications.
Result<void> Notifications::Restore() {
  if (!std::filesystem::exists(path_)) return {};
  const Result<std::string> content = ReadFile(path_);
  if (!content) return tl::unexpected(content.error());
  std::string kept;
  simdjson::dom::parser parser;
  for (const std::string& line : ReadCheckedLines(*content).lines) {
    const simdjson::dom::object object = parser.parse(line).get_object();
    const int64_t time_ns = IntegerAt(object, "timeNs", 0);
    if (EpochNanos() - time_ns > kRememberNs) continue;
    notified_[{std::string(TextAt(object, "id")), std::string(TextAt(object, "attempt"))}] = time_ns;
    kept += WithChecksum(line) + "\n";
  }
  return WriteFile(path_, kept);
}

void Notifications::Consider(const ApplicationRow& row, int64_t changed_ns) {
  if (!options_.webhook || row.status == ApplicationStatus::kRunning) return;
  if (EpochNanos() - changed_ns > kNewsNs) return;
  {
    const std::lock_guard lock(mutex_);
    if (notified_.contains(row.key)) return;
    std::erase_if(queue_, [&](const Item& waiting) { return waiting.body.empty() && waiting.row.key == row.key; });
    Enqueue({.row = row});
  }
  woken_.notify_all();
}

void Notifications::NotifyWayBack(const std::string& group, const std::string& text) {
  if (!options_.webhook) return;
  {
    const std::lock_guard lock(mutex_);
    Enqueue({.body = WayBackJson(group, text, options_)});
  }
  woken_.notify_all();
}

void Notifications::Enqueue(Item item) {
  if (queue_.size() >= kQueue) {
    ++dropped;
  } else {
    queue_.push_back(std::move(item));
  }
}

uint64_t Notifications::Waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Notifications::Run() {
  task_.NameThread();
  while (true) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      woken_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      item = std::move(queue_.front());
      queue_.pop_front();
      if (item.body.empty() && notified_.contains(item.row.key)) continue;
    }
    // Names the item without allocating, for when memory runs out.
    const auto what = [&item] {
      return item.body.empty() ? "application " + item.row.key.id : std::string("automatic sizes");
    };
    const bool is_done = task_.Attempt([&] {
      if (item.body.empty()) {
        Handle(item.row);
      } else {
        SendOrLog(item.body, what());
      }
    });
    if (is_done) continue;
    ++failed;
    (void)Guarded([&]() -> Result<void> {
      log_(fmt::format("cannot notify of {}: {}", what(), task_.Get().last_error));
      return {};
    });
  }
}

bool Notifications::SendOrLog(const Result<std::string>& body, const std::string& what) {
  const Result<void> sent_now = body ? Send(*body) : tl::unexpected(body.error());
  if (sent_now) {
    ++sent;
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return false;  // the next server retries
  }
  ++failed;
  log_(fmt::format("cannot notify of {}: {}", what, sent_now.error().message));
  return false;
}

void Notifications::Handle(const ApplicationRow& row) {
  const Result<Notification> notification = Make(row);
  if (notification && !notification->IsWorthSending()) return;
  if (claim_ && notification) {
    const Result<bool> is_first = claim_(row.key);
    if (is_first && !*is_first) {
      if (Result<void> remembered = Remember(row.key); !remembered) log_(remembered.error().message);
      return;
    }
    // A second notification is better than none.
    if (!is_first) log_(is_first.error().message);
  }
  const Result<std::string> body = notification ? Result<std::string>(NotificationJson(*notification, options_))
                                                : tl::unexpected(notification.error());
  if (!SendOrLog(body, "application " + row.key.id)) return;
  if (Result<void> remembered = Remember(row.key); !remembered) log_(remembered.error().message);
}

Result<Notification> Notifications::Make(const ApplicationRow& row) {
  Notification notification{.application = row};
  Result<std::vector<FindingRow>> findings = catalogue_->Findings(row.key);
  if (!findings) return tl::unexpected(findings.error());
  for (FindingRow& finding : *findings) {
    if (RankOf(finding.severity) >= static_cast<int>(options_.severity)) {
      notification.findings.push_back(std::move(finding));
    }
  }
  if (row.status != ApplicationStatus::kFinished) return notification;
  ApplicationQuery runs;
  runs.group = row.group;
  runs.status = ApplicationStatus::kFinished;
  runs.to_ns = row.start_ns;  // earlier runs only
  runs.limit = kComparedRuns;
  const Result<ApplicationPage> page = catalogue_->Applications(runs);
  if (!page) return tl::unexpected(page.error());
  notification.regressions = FindRegressions(row, page->applications);
  return notification;
}

Result<void> Notifications::Send(const std::string& body) {
  std::chrono::seconds pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    const Result<HttpResponse> response =
        SendHttp("POST", *options_.webhook, {{"content-type", "application/json"}}, body, {.timeout = kTimeout});
    if (response && response->status >= 200 && response->status < 300) return {};
    // The path of a webhook is often a secret.
    const Error problem{
        response ? fmt::format("the webhook at {} answered {}", options_.webhook->Authority(), response->status)
                 : response.error().message};
    const bool may_help = !response || response->status == 429 || response->status >= 500;
    if (!may_help || attempt == kTries || !Pause(pause)) return tl::unexpected(problem);
    pause *= 2;
  }
}

bool Notifications::Pause(std::chrono::seconds time) {
  std::unique_lock lock(mutex_);
  return !woken_.wait_for(lock, time, [this] { return stop_; });
}

Result<void> Notifications::Remember(const ApplicationKey& key) {
  const int64_t now_ns = EpochNanos();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(notified_, [&](const auto& known) { return now_ns - known.second > kRememberNs; });
    notified_[key] = now_ns;
  }
  JsonWriter json;
  json.BeginObject().Member("timeNs", now_ns).Member("id", key.id).Member("attempt", key.attempt).EndObject();
  const FileDescriptor file(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path_, "cannot open"));
  if (Result<void> written = WriteAll(file.Get(), WithChecksum(json.Take()) + "\n", path_); !written) return written;
  if (fdatasync(file.Get()) != 0) return tl::unexpected(SystemError(path_, "cannot sync"));
  return {};
}

}  // namespace sparkprof
