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

// Anyone with an ingest token can name any application, process and user, so whatever a sender states about itself is
// only
// a claim. An *entry* groups the sources that certainly belong together: they name one application, and share an upload
// secret or an owner. Each entry has its own name, recordings, owner and viewers. The first entry of an application is
// named by the application's ID; later ones are named "ID~" and 8 hexadecimal digits.
//
// Sources without a secret (plugins of earlier versions, clients of other profilers) are identified by their token and
// the
// process that they name. Those without an owner join others of their token that have none. If access lists are not
// enforced, sources without an owner join the only entry of their application.
//
// Entries are stored as lines of FOLDER/access.jsonl. The content of a damaged line is rebuilt from the recordings of
// the
// entry; if they are not sufficient, it is lost, and only administrators see the entry. Thread-safe.
class ApplicationEntries {
 public:
  struct List {
    std::string user;
    std::string viewers;  // result of ViewersOf
  };

  // `is_enforced`: access lists limit who sees an application. Then received and rejected lists are written to `audit`,
  // which must outlive this.
  static Result<std::unique_ptr<ApplicationEntries>> Open(const std::string& folder, AuditLog* audit, bool is_enforced);

  bool IsEnforced() const { return is_enforced_; }

  // Whether Assign uses this Spark event.
  static bool IsRelevant(std::string_view event);

  // The access list in a source's events; without an owner if they do not name a user.
  static List ListIn(const std::string& id, const std::vector<std::string>& events);

  struct Assigned {
    std::string entry = {};
    std::string left = {};    // previous entry of the source, if it has changed
    bool leaves_all = false;  // whether all recordings of `left` move to `entry`, or only those of the process
  };
  // Assigns a source of application `id` to an entry. `events` are the source's relevant Spark events, in order. The
  // resulting list is durable on return. Fails if it cannot be stored or audited; then nothing has changed.
  Result<Assigned> Assign(const std::string& id, const std::string& process, const std::vector<std::string>& events,
                          const Sender& sender);
  // Fails if the sender's token may not send these events.
  static Result<void> CheckUser(const std::string& id, const std::vector<std::string>& events, const Sender& sender);

  // An access list with one user only.
  static List OnlyFor(const std::string& user);

  struct WatchedFile {
    std::string id;            // application ID
    std::string claim;         // groups files without a known owner, for example by folder
    List list;                 // without an owner = unknown
    bool is_by_file = false;   // the owner is the file's owner, whatever the events contain
    bool is_separate = false;  // the file gets an entry of its own, whoever owns it
  };
  // Assigns an event log or a recording in a watched folder to an entry.
  std::string AssignWatched(const WatchedFile& file);
  // Keeps the name that an earlier process gave to an entry.
  void Restore(const std::string& entry, const List& list);

  // Resolves an application's ID or an entry's name for a viewer: prefers an entry that the viewer owns, then one that
  // the viewer may see, then any. Without a viewer, the entry of exactly that name.
  std::string Resolve(const std::string& name, const std::optional<Viewer>& viewer) const;
  // The shortest name that Resolve maps to `entry` for this viewer.
  std::string NameFor(const std::string& entry, const std::optional<Viewer>& viewer) const;
  std::string ApplicationOf(const std::string& entry) const;

  // The entry's list, or `found` (from its files) if it is unknown.
  List ListOf(const std::string& entry, const List& found) const;
  // Sets the lists of a store that had none.
  void SettleAll(const std::vector<std::pair<std::string, List>>& found);

  // The entry with recordings in this subfolder of FOLDER/recordings.
  std::string EntryOfFolder(const std::string& name) const;

  // Removes all that is stored about the entry.
  void Forget(const std::string& entry);

  // Error that prevents storing lists; empty = none.
  std::string Problem() const;
  // Describes damaged lines; empty = none.
  std::string Damage() const;

 private:
  struct Entry {
    std::string application;
    List list;
    // The list is complete when both are set: the start event names the user, the environment the other viewers.
    bool has_user = false;
    bool has_environment = false;
    bool is_watched = false;  // not stored: it is found again in its folder
    bool is_by_file = false;  // as WatchedFile::is_by_file
    bool is_separate = false;
    std::string token;                   // hash of the token of its first source
    std::string process;                 // process that decided the list in an earlier version without claims
    std::set<std::string> claims;        // claims by secret; empty = its sources have no secrets
    std::set<std::string> refused = {};  // rejected lists as text, for the audit log
  };
  using Entries = std::map<std::string, Entry>;  // by name

  // Access list in the events of one source.
  struct Shown {
    std::string user;
    std::string others;  // viewers other than `user`
    bool has_user = false;
    bool has_environment = false;
  };
  struct Source {
    std::string id, process;
    std::string claim;  // hash of the proof that blocks have one sender
    const Sender* sender;
    Shown shown;
  };

  ApplicationEntries(const std::string& folder, AuditLog* audit, bool is_enforced)
      : folder_(folder), path_(folder + "/access.jsonl"), audit_(audit), is_enforced_(is_enforced) {}

  Result<void> ReadLines();
  // Finds entries of recordings without a line, and the processes in the recordings' names.
  void FindRecordings();
  List ListInRecordings(const std::string& folder, std::string* id) const;

  static std::string LineOf(const std::string& name, const Entry& entry);
  static Shown ReadEvents(const std::string& id, const std::vector<std::string>& events);
  // Whether `shown` is consistent with the entry.
  static bool Agrees(const Entry& entry, const Shown& shown);

  Entries::iterator FindByClaim(const Source& source);
  Entries::iterator FindByOwner(const std::string& id, const std::string& user);
  Entries::iterator FindUnproved(const Source& source);
  std::vector<Entries::const_iterator> EntriesOf(const std::string& id) const;
  // An unused name, or the one that Restore kept for an entry with this list.
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
  std::map<std::string, std::set<std::string>> names_;  // entry names by application
  std::map<std::string, std::string> name_of_claim_;    // entry name by application and claim
  std::map<std::string, std::string> name_of_folder_;   // entry name by folder of recordings
  size_t damaged_lines_ = 0;
  bool has_lines_ = false;  // whether the file existed
  bool has_all_lines_ =
      false;  // whether the file is of this version: each folder of recordings has a line, unless damaged
  std::string problem_;
};

}  // namespace sparkprof
