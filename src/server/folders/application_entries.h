// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/viewers.h"
#include "server/access/access.h"
#include "server/access/audit_log.h"

namespace sparkprof {

// Anyone with an ingest token may name any application, process and user: what a sender says about itself is a claim.
// An *entry* is therefore what belongs together for certain: sources that name one application, and have the same
// upload secret or owner. Each entry has its own name, recordings, owner and viewers. The first entry of an application
// has the application's ID as its name, later ones have "ID~" and 8 hexadecimal digits.
//
// Sources without a secret (plugins of earlier versions, clients of other profilers) have their token and the process
// that they name instead; those that state no owner join others of their token without one. Where access lists are not
// enforced, sources that state no owner join the only entry of their application.
//
// Entries are lines of FOLDER/access.jsonl. What a damaged line said is taken from the recordings of that entry; what
// they do not prove is lost, and only administrators see the entry. Thread-safe.
class ApplicationEntries {
 public:
  struct List {
    std::string user;
    std::string viewers;  // see ViewersOf
  };

  // `is_enforced`: the lists limit who sees what. Then lists that were sent, and those that were refused, go to
  // `audit`, which must outlive this.
  static Result<std::unique_ptr<ApplicationEntries>> Open(const std::string& folder, AuditLog* audit, bool is_enforced);

  bool IsEnforced() const { return is_enforced_; }

  // Whether Assign has a use for this Spark event.
  static bool IsRelevant(std::string_view event);

  // The list in a source's events; nobody's if they do not name a user.
  static List ListIn(const std::string& id, const std::vector<std::string>& events);

  struct Assigned {
    std::string entry = {};
    std::string left = {};    // the source's entry until now, if it was another one
    bool leaves_all = false;  // all recordings of `left` belong to `entry`, or else only those of the process
  };
  // The entry of a source that names the application `id`. `events`: Spark's, in order, those that are relevant. A list
  // that they decide is durable when it returns. Fails if that cannot be stored or audited; then nothing has changed.
  Result<Assigned> Assign(const std::string& id, const std::string& process, const std::vector<std::string>& events,
                          const Sender& sender);
  // Why the sender's token may not send these events; nothing if it may.
  static Result<void> CheckUser(const std::string& id, const std::vector<std::string>& events, const Sender& sender);

  // The list of a user alone.
  static List OnlyFor(const std::string& user);

  struct WatchedFile {
    std::string id;            // of its application
    std::string claim;         // of what belongs together where no owner is known, such as a folder
    List list;                 // nobody's: unknown
    bool is_by_file = false;   // the owner is the file's, whatever its events say
    bool is_separate = false;  // it is an entry of its own, whoever owns it
  };
  // The entry of an event log or a recording in a watched folder.
  std::string AssignWatched(const WatchedFile& file);
  // Keeps the name that an earlier process gave to an entry.
  void Restore(const std::string& entry, const List& list);

  // The entry that `name`, an application's ID or an entry's name, means to a viewer: his own, else one that he may
  // see, else any. Without a viewer the entry of that name.
  std::string Resolve(const std::string& name, const std::optional<Viewer>& viewer) const;
  // The shortest name with which Resolve finds the entry for this viewer.
  std::string NameFor(const std::string& entry, const std::optional<Viewer>& viewer) const;
  // The application's ID.
  std::string ApplicationOf(const std::string& entry) const;

  // The entry's list; `found`, the one that its files show, if it is not known.
  List ListOf(const std::string& entry, const List& found) const;
  // Lists of a server that kept none.
  void SettleAll(const std::vector<std::pair<std::string, List>>& found);

  // The entry whose recordings are in this folder of FOLDER/recordings, by its file name.
  std::string EntryOfFolder(const std::string& name) const;

  // All that is known about the entry is gone.
  void Forget(const std::string& entry);

  // Why lists cannot be stored; empty if they can.
  std::string Problem() const;
  // Which lines were damaged; empty = none.
  std::string Damage() const;

 private:
  struct Entry {
    std::string application;
    List list;
    // The list grows until both are known: the application's start names the user, its environment the others.
    bool has_user = false;
    bool has_environment = false;
    bool is_watched = false;  // not stored: it is found again in its folder
    bool is_by_file = false;  // see WatchedFile
    bool is_separate = false;
    std::string token;                   // of its first source; a hash
    std::string process;                 // that decided in an earlier version, which kept no claims
    std::set<std::string> claims;        // by secrets; none = its sources have none
    std::set<std::string> refused = {};  // lists as text, for the audit log
  };
  using Entries = std::map<std::string, Entry>;  // by name

  // Access list in one source's events.
  struct Shown {
    std::string user;
    std::string others;  // without the user
    bool has_user = false;
    bool has_environment = false;
  };
  struct Source {
    std::string id, process;
    std::string claim;  // a hash of what proves that blocks have one sender
    const Sender* sender;
    Shown shown;
  };

  ApplicationEntries(const std::string& folder, AuditLog* audit, bool is_enforced)
      : folder_(folder), path_(folder + "/access.jsonl"), audit_(audit), is_enforced_(is_enforced) {}

  Result<void> ReadLines();
  // Entries of recordings without a line, and the processes in the names of recordings.
  void FindRecordings();
  List ListInRecordings(const std::string& folder, std::string* id) const;

  static std::string LineOf(const std::string& name, const Entry& entry);
  static Shown ReadEvents(const std::string& id, const std::vector<std::string>& events);
  // Whether `shown` contradicts nothing in the entry.
  static bool Agrees(const Entry& entry, const Shown& shown);

  Entries::iterator FindByClaim(const Source& source);
  Entries::iterator FindByOwner(const std::string& id, const std::string& user);
  Entries::iterator FindUnproved(const Source& source);
  std::vector<Entries::const_iterator> EntriesOf(const std::string& id) const;
  // An unused name, or one that Restore kept for an entry with this list.
  std::string NewName(const std::string& id, const std::string& claim, const List* restored = nullptr) const;
  void Insert(const std::string& name, Entry entry);
  void Erase(Entries::iterator entry);

  Result<void> Append(const std::string& lines, bool is_durable);
  Result<void> Refuse(const std::string& name, Entry* entry, const Source& source);

  const std::string folder_;
  const std::string path_;
  AuditLog* audit_;
  const bool is_enforced_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::map<std::string, std::set<std::string>> names_;  // of entries, by application
  std::map<std::string, std::string> name_of_claim_;    // by application and claim
  std::map<std::string, std::string> name_of_folder_;   // of recordings
  size_t damaged_lines_ = 0;
  bool has_lines_ = false;      // there was a file
  bool has_all_lines_ = false;  // of this version: each folder of recordings has a line, unless it was damaged
  std::string problem_;
};

}  // namespace sparkprof
