// SPDX-License-Identifier: Apache-2.0
#include "loader/application_inputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "loader/identity.h"

namespace sparkprof {
namespace {

using Key = std::pair<std::string, std::string>;  // ID and attempt

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of("/!");
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string NameOf(const std::string& path) {
  const std::string name = path.substr(path.find_last_of("/!") + 1);
  return name.empty() || name == "." ? "unidentified" : name;
}

// Whether `inner` is `outer` or below it.
bool IsWithin(const std::string& inner, const std::string& outer) {
  return outer.empty() || inner == outer ||
         (inner.starts_with(outer) && (inner[outer.size()] == '/' || inner[outer.size()] == '!'));
}

bool IsRecords(InputKind kind) {
  return kind == InputKind::kUberRecords || kind == InputKind::kPySparkRecords || kind == InputKind::kConsole ||
         kind == InputKind::kBabar;
}

bool IsTextLog(InputKind kind) {
  return kind == InputKind::kTextLog || kind == InputKind::kStructuredLog || kind == InputKind::kConsole;
}

class Grouping {
 public:
  void AddRecorded(RecordedApplication&& recorded) {
    ApplicationInputs& application = At(recorded.id, recorded.attempt);
    application.identified = !recorded.sources.empty() && !recorded.sources.front().application_id.empty();
    application.recorded = std::move(recorded);
  }

  void Add(const Input& input) {
    const InputIdentity identity = IdentityOf(input);
    if (!identity.application_id.empty()) {
      AddTo(identity, input);
    } else {
      homeless_.push_back({&input, identity.home, identity.is_driver});
    }
  }

  std::vector<ApplicationInputs> Take() {
    ResolveAttempts();
    std::vector<Homeless> left;
    for (const Homeless& homeless : homeless_) {
      if (const std::optional<Key> key = Neighbor(homeless)) {
        Put(*homeless.input, &applications_.at(*key));
      } else {
        left.push_back(homeless);
      }
    }
    AddUnidentified(left);
    std::vector<ApplicationInputs> all;
    for (auto& [key, application] : applications_) all.push_back(std::move(application));
    return all;
  }

 private:
  struct Homeless {
    const Input* input = nullptr;
    std::string home;  // InputIdentity::home
    bool is_driver = false;
  };

  ApplicationInputs& At(const std::string& id, const std::string& attempt) {
    ApplicationInputs& application = applications_[{id, attempt}];
    application.id = id;
    application.attempt = attempt;
    return application;
  }

  static void Put(const Input& input, ApplicationInputs* application) {
    if (input.kind == InputKind::kEventLog) application->event_logs.push_back(&input);
    if (IsTextLog(input.kind)) application->text_logs.push_back(&input);
    if (IsRecords(input.kind)) application->records.push_back(&input);
  }

  void AddTo(const InputIdentity& identity, const Input& input) {
    ApplicationInputs& application = At(identity.application_id, identity.attempt);
    application.identified = true;
    Put(input, &application);
    folders_[FolderOf(input.path)].insert(identity.application_id);
    if (!identity.home.empty()) homes_[identity.home].insert(identity.application_id);
  }

  static void MoveInputs(ApplicationInputs* from, ApplicationInputs* to) {
    const auto move = [](std::vector<const Input*>* inputs, std::vector<const Input*>* target) {
      target->insert(target->end(), inputs->begin(), inputs->end());
    };
    move(&from->event_logs, &to->event_logs);
    move(&from->text_logs, &to->text_logs);
    move(&from->records, &to->records);
  }

  // An input without an attempt joins the last attempt. An attempt known only from text logs and records (YARN counts
  // from 1, Spark may not count at all) joins the only attempt known from Spark.
  void ResolveAttempts() {
    std::map<std::string, std::vector<std::string>> attempts;
    for (const auto& [key, application] : applications_) attempts[key.first].push_back(key.second);
    for (const auto& [id, of_id] : attempts) {
      if (of_id.size() < 2) continue;
      std::vector<std::string> spoken_of;
      for (const std::string& attempt : of_id) {
        const ApplicationInputs& application = applications_.at({id, attempt});
        if (!application.event_logs.empty() || application.recorded) spoken_of.push_back(attempt);
      }
      for (const std::string& attempt : of_id) {
        const Key key{id, attempt};
        ApplicationInputs& application = applications_.at(key);
        if (!application.event_logs.empty() || application.recorded) continue;
        std::string target = attempt;
        if (!spoken_of.empty() && (attempt.empty() || spoken_of.size() == 1)) {
          target = spoken_of.back();
        } else if (attempt.empty()) {
          target = of_id.back();
        }
        if (target == attempt) continue;
        MoveInputs(&application, &applications_.at({id, target}));
        applications_.erase(key);
      }
    }
  }

  std::optional<Key> LastAttempt(const std::string& id) const {
    std::optional<Key> last;
    for (const auto& [key, application] : applications_) {
      if (key.first == id) last = key;
    }
    return last;
  }

  std::optional<Key> Neighbor(const Homeless& homeless) const {
    const auto home = homes_.find(homeless.home);
    if (home != homes_.end() && home->second.size() == 1) return LastAttempt(*home->second.begin());
    const std::string folder = FolderOf(homeless.input->path);
    const auto same = folders_.find(folder);
    if (same != folders_.end()) return same->second.size() == 1 ? LastAttempt(*same->second.begin()) : std::nullopt;
    std::set<std::string> ids;
    for (const auto& [key, application] : applications_) {
      if (application.identified) ids.insert(key.first);
    }
    if (ids.size() != 1) return std::nullopt;
    for (const auto& [other, its_ids] : folders_) {
      if (IsWithin(folder, other) || IsWithin(other, folder)) return LastAttempt(*ids.begin());
    }
    return std::nullopt;
  }

  void AddUnidentified(const std::vector<Homeless>& inputs) {
    const auto place_of = [](const Homeless& homeless) {
      return homeless.home.empty() ? FolderOf(homeless.input->path) : homeless.home.substr(homeless.home.find(' ') + 1);
    };
    std::map<std::string, size_t> drivers;
    for (const Homeless& homeless : inputs) drivers[place_of(homeless)] += homeless.is_driver ? 1 : 0;
    for (const Homeless& homeless : inputs) {
      const std::string folder = place_of(homeless);
      const bool own = (homeless.is_driver && drivers[folder] > 1) || homeless.input->kind == InputKind::kEventLog;
      Put(*homeless.input, &At(Unused(own ? homeless.input->path : folder, homeless.input->path), {}));
    }
  }

  // A unique, reproducible name for the inputs at `path`; uses the input `example` if the path is the working folder.
  std::string Unused(const std::string& path, const std::string& example) {
    const auto [place, is_new] = names_.try_emplace(path);
    if (is_new) {
      const std::string name = NameOf(path.empty() ? example : path);
      place->second = name;
      for (int number = 2; applications_.contains({place->second, ""}); ++number)
        place->second = name + " (" + std::to_string(number) + ")";
    }
    return place->second;
  }

  std::map<Key, ApplicationInputs> applications_;
  std::map<std::string, std::set<std::string>> folders_;  // IDs of the applications with inputs in a folder
  std::map<std::string, std::set<std::string>> homes_;    // IDs of the applications by InputIdentity::home
  std::vector<Homeless> homeless_;
  std::map<std::string, std::string> names_;  // by path
};

}  // namespace

uint64_t ApplicationInputs::FileBytes() const {
  uint64_t bytes = 0;
  // A text log with records is listed twice and read twice.
  for (const std::vector<const Input*>* inputs : {&event_logs, &text_logs, &records}) {
    for (const Input* input : *inputs) bytes += static_cast<uint64_t>(input->size);
  }
  return bytes;
}

bool ApplicationInputs::IsFragment() const {
  const auto is_trace = [](const Input* log) {
    return log->fragment != nullptr && log->fragment->kind == FragmentKind::kStackTrace && log->application_id.empty();
  };
  return !recorded && event_logs.empty() && records.empty() &&
         std::all_of(text_logs.begin(), text_logs.end(), is_trace);
}

std::vector<ApplicationInputs> GroupInputs(const Inputs& inputs, std::vector<RecordedApplication>&& recorded) {
  Grouping grouping;
  for (RecordedApplication& application : recorded) grouping.AddRecorded(std::move(application));
  for (const Input& input : inputs.inputs) {
    const bool is_of_one = input.kind != InputKind::kRecording && input.kind != InputKind::kProfile &&
                           input.kind != InputKind::kLineage && input.kind != InputKind::kFragment;
    if (is_of_one) grouping.Add(input);
  }
  return grouping.Take();
}

}  // namespace sparkprof
