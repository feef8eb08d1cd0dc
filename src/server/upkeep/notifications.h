// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/costs/price_list.h"
#include "analysis/findings/finding.h"
#include "base/background_task.h"
#include "catalogue/catalogue.h"
#include "http/url.h"
#include "server/runs/regression.h"

namespace sparkprof {

struct NotificationOptions {
  std::optional<Url> webhook;           // unset = notifications are disabled
  Severity severity = Severity::kHigh;  // minimum severity of reported findings
  std::string page;                     // base URL of the server's pages, for links: "https://profiles.example.com"
  std::optional<PriceList> prices;      // for the cost of the application
};

struct Notification {
  ApplicationRow application;
  std::vector<FindingRow> findings;  // findings of at least the configured severity
  std::vector<Regression> regressions;

  bool IsWorthSending() const;
};

// The body of a notification (docs/collector.md): JSON with Slack's member `text`.
std::string NotificationJson(const Notification& notification, const NotificationOptions& options);

// The body for a rollback of a group's automatic sizes.
std::string WayBackJson(const std::string& group, const std::string& text, const NotificationOptions& options);

// Notifies a webhook about applications that failed, have findings of some severity, or were slower than earlier runs
// of their group. Notifies once per application, even across restarts. Sends on its own thread; notifications beyond
// the queue's limit are dropped and counted.
class Notifications {
 public:
  using Log = std::function<void(const std::string& line)>;

  // Records sent notifications in FOLDER/notified.jsonl. Fails if the file cannot be read.
  static Result<std::unique_ptr<Notifications>> Open(NotificationOptions options, const std::string& folder,
                                                     Catalogue* catalogue, Log log);
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  // Returns true if this server is the first to notify of an application. Call before the first Consider.
  using Claim = std::function<Result<bool>(const ApplicationKey& key)>;
  void SetClaim(Claim claim) { claim_ = std::move(claim); }

  // Call when the application's row has changed; `changed_ns` is the arrival time of its last block. Never blocks.
  void Consider(const ApplicationRow& row, int64_t changed_ns);

  // Notifies of a rollback of automatic sizes. Never blocks.
  void NotifyWayBack(const std::string& group, const std::string& text);

  std::atomic<uint64_t> sent = 0, failed = 0, dropped = 0;
  uint64_t Waiting() const;
  const BackgroundTask& Task() const { return task_; }

 private:
  Notifications(NotificationOptions options, const std::string& folder, Catalogue* catalogue, Log log)
      : options_(std::move(options)), path_(folder + "/notified.jsonl"), catalogue_(catalogue), log_(std::move(log)) {}

  // An application to consider, or a body to send.
  struct Item {
    ApplicationRow row = {};
    std::string body = {};
  };

  Result<void> Restore();
  void Run();
  // Drops the item if the queue is full. Requires the mutex.
  void Enqueue(Item item);
  void Handle(const ApplicationRow& row);
  // Sends the body and counts it; logs a failure with `what`.
  bool SendOrLog(const Result<std::string>& body, const std::string& what);
  Result<Notification> Make(const ApplicationRow& row);
  Result<void> Send(const std::string& body);
  Result<void> Remember(const ApplicationKey& key);
  bool Pause(std::chrono::seconds time);  // false = the server is stopping

  NotificationOptions options_;
  std::string path_;
  Catalogue* catalogue_;
  Log log_;
  Claim claim_;
  BackgroundTask task_{"notifications"};
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Item> queue_;
  std::map<ApplicationKey, int64_t> notified_;  // value: time of the notification
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace sparkprof
