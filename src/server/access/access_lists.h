// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/access/audit_log.h"

namespace sparkprof {

// The sender of a request, for the audit log.
struct Sender {
  std::string peer;             // the client's address; empty: the server found it in a folder
  std::string role = "server";  // of its token
};

// Owners and viewers of applications, FOLDER/access.jsonl: what the first source with Spark's events shows, its
// driver. What other sources of the same application show later, in whatever order they arrive, changes nothing and is
// refused: whoever may send recordings cannot open another user's application, or lock that user out. Thread-safe.
class AccessLists {
 public:
  struct List {
    std::string user;
    std::string viewers;  // see ViewersOf
  };

  // `is_enforced`: the lists limit who sees what. Then lists that were sent, and those that were refused, go to
  // `audit`, which must outlive this.
  static Result<std::unique_ptr<AccessLists>> Open(const std::string& folder, AuditLog* audit, bool is_enforced);

  bool IsEnforced() const { return is_enforced_; }

  // Whether AddEvents has a use for this event.
  static bool IsRelevant(std::string_view event);

  // Spark's events about an application, in order, that `source` (see ProcessOf) has sent. Those that decide are
  // durable when it returns. Fails if they cannot be stored or audited: then nothing has changed.
  Result<void> AddEvents(const std::string& id, const std::string& source, const std::vector<std::string>& events,
                         const Sender& sender);

  // The application's list; `found`, the one that a log or a recording in a folder has, if there was none before. A
  // list that names nobody is none.
  List Settle(const std::string& id, const std::string& source, List found);
  // The same for many applications, without an entry in the audit log.
  void SettleAll(const std::vector<std::pair<std::string, List>>& found, const std::string& source);

  // All that is known about the application is gone.
  void Forget(const std::string& id);

  // Why lists cannot be stored; empty if they can.
  std::string Problem() const;

 private:
  struct Entry {
    std::string source;
    List list;
    // The list grows until both are known: the application's start names the user, its environment the others.
    bool has_user = false;
    bool has_environment = false;
    std::set<std::string> refused;  // lists as text, for the audit log
  };
  // Access list in one source's events.
  struct Shown {
    std::string user;
    std::string others;  // without the user
    bool has_user = false;
    bool has_environment = false;
  };

  AccessLists(const std::string& folder, AuditLog* audit, bool is_enforced)
      : path_(folder + "/access.jsonl"), audit_(audit), is_enforced_(is_enforced) {}

  Result<void> Restore();
  static std::string LineOf(const std::string& id, const Entry& entry);
  static Shown ReadEvents(const std::string& id, const std::vector<std::string>& events);
  // Whether `shown` contradicts nothing in the entry.
  static bool Agrees(const Entry& entry, const Shown& shown);
  Result<void> Append(const std::string& lines, bool is_durable);
  Result<void> Refuse(const std::string& id, Entry* entry, const std::string& source, const List& refused,
                      const Sender& sender);

  const std::string path_;
  AuditLog* audit_;
  const bool is_enforced_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by application
  std::string problem_;
};

}  // namespace sparkprof
