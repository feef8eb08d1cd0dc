// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

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
#include "server/shared/shared_log.h"

namespace sparkprof {

// Groups what senders report. Anyone with an ingest token can name any application, process and user, so a sender's
// statements about itself are only claims. An *entry* groups the sources that certainly belong together: they name one
// application, and share an upload secret or an owner. Each entry has its own name, recordings, owner and viewers. The
// first entry of an application is named by the application's ID; later ones are named "ID~" and 8 hexadecimal digits.
// Sources without a secret (plugins of earlier versions, clients of other profilers) are identified by their token and
// the process that they name. Sources without an owner join others of the same token without an owner. If access lists
// are not enforced, they join the only entry of their application.
// An entry belongs to the tenant of its first sender, whose name is in its list (InTenant); sources of other tenants
// never join it. Watched files belong to the default tenant.
// Entries are stored as lines of FOLDER/access.jsonl. The content of a damaged line is rebuilt from the entry's
// recordings; if they are not sufficient, it is lost, and only administrators see the entry. Thread-safe.
class ApplicationEntries {
 public:
  struct List {
    std::string user;
    std::string viewers;  // result of ViewersOf
  };

  // `is_enforced`: access lists limit who sees an application; received and rejected lists are written to `audit`,
  // which must outlive this. `has_tenants`: an entry that lost its tenant belongs to nobody.
  static Result<std::unique_ptr<ApplicationEntries>> Open(const std::string& folder, AuditLog* audit, bool is_enforced,
                                                          bool has_tenants = false);
  // The entries of all nodes on one store: changes are appended to `log`, whose lines must be passed to Apply. Nothing
  // is stored in a folder.
  static std::unique_ptr<ApplicationEntries> OfStore(SharedLog* log, AuditLog* audit, bool is_enforced,
                                                     bool has_tenants = false);

  // Recordings that belong to another entry now.
  struct Moved {
    std::string from, to;
    std::string process_hash;  // empty = all recordings of `from`
  };
  // Applies a line of the log; ignores lines that are not about entries. Returns the recordings to move.
  std::optional<Moved> Apply(std::string_view line);
  // Call after the lines of an append.
  void NoteApplied(uint64_t number);
  // Assigns further blocks of a source without a secret to the entry of its earlier ones.
  void NoteSource(const std::string& id, const std::string& process, const Sender& sender, const std::string& entry);

  bool IsEnforced() const { return is_enforced_; }

  // Whether Assign uses this Spark event.
  static bool IsRelevant(std::string_view event);

  // The access list in a source's events; without an owner if they do not name a user.
  static List ListIn(const std::string& id, const std::vector<std::string>& events);

  struct Assigned {
    std::string entry = {};
    std::string left = {};    // previous entry of the source, if it has changed
    bool leaves_all = false;  // whether all recordings of `left` move to `entry`, or only those of the process
    uint64_t version = 0;     // the append of the log after which the entry has this name
  };
  // Assigns a source of application `id` to an entry. `events` are the source's relevant Spark events, in order. The
  // resulting list is durable on return. Fails if it cannot be stored or audited; then nothing has changed.
  Result<Assigned> Assign(const std::string& id, const std::string& process, const std::vector<std::string>& events,
                          const Sender& sender);
  // Fails for names that are too long to be kept in each line about an entry.
  static Result<void> CheckNames(const std::string& id, const std::string& process,
                                 const std::vector<std::string>& events);
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

  // Resolves an application's ID or an entry's name for a viewer: first an entry that the viewer owns, then one that
  // the viewer may see, then any of the viewer's tenant. Without a viewer, the name must match exactly.
  std::string Resolve(const std::string& name, const std::optional<Viewer>& viewer) const;
  // The shortest name that Resolve maps to `entry` for this viewer.
  std::string NameFor(const std::string& entry, const std::optional<Viewer>& viewer) const;
  std::string ApplicationOf(const std::string& entry) const;
  // The tenant of an entry; empty for unknown entries, too.
  std::string TenantOfEntry(const std::string& entry) const;
  // Whether its recordings were sent as those of one user.
  bool IsOfUser(const std::string& entry) const;
  // Whether a tenant has an entry of application `id`.
  bool HasApplication(const std::string& tenant, const std::string& id) const;

  // The entry's list, or `found` (from its files) if it is unknown.
  List ListOf(const std::string& entry, const List& found) const;
  // Sets the lists of a store that had none.
  void SettleAll(const std::vector<std::pair<std::string, List>>& found);

  // The entry with recordings in this subfolder of FOLDER/recordings.
  std::string EntryOfFolder(const std::string& name) const;

  // Folders of recordings that an earlier version named (OldFileNameFor), with their entries.
  std::map<std::string, std::string> OldFolders() const;

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

  ApplicationEntries(const std::string& folder, AuditLog* audit, bool is_enforced, bool has_tenants)
      : folder_(folder),
        path_(folder + "/access.jsonl"),
        audit_(audit),
        is_enforced_(is_enforced),
        has_tenants_(has_tenants) {}

  Result<void> ReadLines();
  // Inserts, replaces or removes the entry of a line. `is_old`: without a checksum.
  void ReadLine(const simdjson::dom::object& object, bool is_old);
  // Finds entries of recordings without a line, and the processes in the recordings' names.
  void FindRecordings();
  List ListInRecordings(const std::string& folder, std::string* id) const;

  static std::string LineOf(const std::string& name, const Entry& entry);
  static Shown ReadEvents(const std::string& id, const std::vector<std::string>& events);
  // Whether `shown` is consistent with the entry.
  static bool Agrees(const Entry& entry, const Shown& shown);

  // nullopt: another node has just appended to the log; try again.
  Result<std::optional<Assigned>> TryAssign(Source source);
  Entries::iterator FindByClaim(const Source& source);
  Entries::iterator FindByOwner(const std::string& tenant, const std::string& id, const std::string& user);
  Entries::iterator FindUnproved(const Source& source);
  // `tenant`: null = of all tenants.
  std::vector<Entries::const_iterator> EntriesOf(const std::string& id, const std::string* tenant) const;
  // An unused name, or the one that Restore kept for an entry with this list.
  std::string NewName(const std::string& id, const std::string& claim, const List* restored = nullptr) const;
  void Insert(const std::string& name, Entry entry);
  void Erase(Entries::iterator entry);

  Result<void> Append(const std::string& lines, bool is_durable);
  std::string RefusedList(const Entry& entry, const Source& source) const;

  const std::string folder_;
  const std::string path_;
  AuditLog* audit_;
  const bool is_enforced_;
  const bool has_tenants_;
  SharedLog* log_ = nullptr;  // null = lines are stored in the folder
  mutable std::mutex mutex_;
  uint64_t applied_ = 0;  // latest append of the log
  Entries entries_;
  std::map<std::string, std::set<std::string>> names_;  // entry names by application
  std::map<std::string, std::string> name_of_claim_;    // entry name by application and claim
  std::map<std::string, std::string> name_of_folder_;   // entry name by folder of recordings
  std::map<std::string, std::string>
      found_folders_;  // folders without a line that have another name than their entry's
  size_t damaged_lines_ = 0;
  bool has_lines_ = false;  // whether the file existed
  // Whether the file is of this version: each folder of recordings has a line, unless damaged.
  bool has_all_lines_ = false;
  std::string problem_;
};

}  // namespace sparkprof
