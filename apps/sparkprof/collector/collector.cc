// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "actions.h"
#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "catalogue/duckdb/duckdb_catalogue.h"
#include "catalogue_option.h"
#include "group_settings.h"
#include "loader/remote_inputs.h"
#include "output/progress.h"
#include "server/ingest/recording_store.h"
#include "server/upkeep/store_inspection.h"
#include "server/upkeep/store_move.h"
#include "server/upkeep/store_replica.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

struct CollectorVerbOptions {
  std::string action;
  std::string data = "sparkprof-data";
  std::string store;
  std::string catalogue;
  std::string parquet;
  GroupSettingsRequest group_settings;
  bool json = false;
  ApplicationEntries* entries = nullptr;  // those of --store

  std::string Catalogue() const { return catalogue.empty() ? DefaultCatalogue(data) : catalogue; }
  // The servers of --store share only catalogues that are no file.
  InspectedStore Inspected(const RecordingStore& recordings) const {
    const bool is_shared = !store.empty() && !IsCatalogueFile(Catalogue());
    return {recordings.Folder(), entries, is_shared ? CatalogueOf::kNodes : CatalogueOf::kServer};
  }
};

std::string Count(int64_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

int Print(const std::string& text) {
  const Result<void> written = WriteOutput("-", text);
  return written ? kExitSuccess : Complain(written.error().message);
}

// Opens the catalogue without changing it; null, with the reason in `why`, if it is missing or damaged.
std::unique_ptr<Catalogue> TryCatalogue(const CollectorVerbOptions& options, std::string* why) {
  const std::string location = options.Catalogue();
  if (IsCatalogueFile(location) && !fs::exists(location)) {
    *why = "missing (run `sparkprof collector rebuild`)";
    return nullptr;
  }
  Result<std::unique_ptr<Catalogue>> catalogue = OpenCatalogue(location, nullptr);
  if (catalogue) return std::move(*catalogue);
  *why = catalogue.error().message;
  return nullptr;
}

void WriteGroupSize(const GroupSize& size, JsonWriter* json) {
  json->Member("applications", size.applications).Member("files", size.files).Member("bytes", size.bytes);
  json->Key("oldest");
  size.applications == 0 ? json->Null() : json->Value(size.oldest_ns / kNanosPerMilli);
  json->Key("newest");
  size.applications == 0 ? json->Null() : json->Value(size.newest_ns / kNanosPerMilli);
}

std::string StatusJson(const StoreStatus& status, const std::string& catalogue) {
  JsonWriter json;
  json.BeginObject();
  WriteGroupSize(status.total, &json);
  json.Member("incompleteFiles", status.incomplete);
  json.Member("problems", status.problems);
  json.Member("catalogue", catalogue).Member("behind", status.behind).Key("groups").BeginArray();
  for (const auto& [name, size] : status.groups) {
    json.BeginObject().Member("name", name);
    WriteGroupSize(size, &json);
    json.EndObject();
  }
  return json.EndArray().EndObject().Take() + "\n";
}

std::string StatusText(const StoreStatus& status, const std::string& catalogue) {
  std::string text = fmt::format("applications  {}\nfiles         {}\nsize          {}\n", status.total.applications,
                                 status.total.files, FormatBytes(status.total.bytes));
  if (status.total.applications > 0) {
    text += fmt::format("received      {} to {}\n", FormatTimestamp(status.total.oldest_ns),
                        FormatTimestamp(status.total.newest_ns));
  }
  text += fmt::format("catalogue     {}\n", catalogue);
  for (const std::string& path : status.incomplete) text += fmt::format("{}: the last block is incomplete\n", path);
  for (const std::string& problem : status.problems) text += problem + "\n";
  if (status.groups.empty()) return text;
  text += fmt::format("\n{:>12} {:>8} {:>10}  {:<24}  {}\n", "applications", "files", "size", "last block", "group");
  for (const auto& [name, size] : status.groups) {
    text += fmt::format("{:>12} {:>8} {:>10}  {:<24}  {}\n", size.applications, size.files, FormatBytes(size.bytes),
                        FormatTimestamp(size.newest_ns), ToOneLine(name));
  }
  return text;
}

int PrintStatus(const CollectorVerbOptions& options, const RecordingStore& store) {
  std::string state;
  const std::unique_ptr<Catalogue> catalogue = TryCatalogue(options, &state);
  const Result<StoreStatus> status = InspectStore(options.Inspected(store), catalogue.get());
  if (!status) return Complain(status.error().message);
  if (state.empty()) {
    state = status->behind == 0 ? "up to date"
                                : fmt::format("behind the recordings of {} (the server updates it after its start)",
                                              Count(status->behind, "application"));
  }
  return Print(options.json ? StatusJson(*status, state) : StatusText(*status, state));
}

int Verify(const CollectorVerbOptions& options, const RecordingStore& store) {
  std::string why;
  const std::unique_ptr<Catalogue> catalogue = TryCatalogue(options, &why);
  Result<std::vector<std::string>> problems = VerifyStore(options.Inspected(store), catalogue.get());
  if (!problems) return Complain(problems.error().message);
  if (!why.empty()) problems->push_back("catalogue: " + why);
  std::string text;
  if (options.json) {
    JsonWriter json;
    json.BeginObject();
    json.Member("problems", *problems);
    text = json.EndObject().Take() + "\n";
  } else {
    for (const std::string& problem : *problems) text += problem + "\n";
    if (problems->empty()) text = "no problems found\n";
  }
  const int printed = Print(text);
  return printed != kExitSuccess || problems->empty() ? printed : kExitNo;
}

Result<std::unique_ptr<Catalogue>> EmptyCatalogue(const std::string& location) {
  if (IsCatalogueFile(location)) {
    if (Result<void> removed = RemoveDuckdbCatalogue(location); !removed) return tl::unexpected(removed.error());
    return OpenCatalogue(location, nullptr);
  }
  Result<std::unique_ptr<Catalogue>> catalogue = OpenCatalogue(location, nullptr);
  if (!catalogue) return catalogue;
  const Result<std::vector<ApplicationRow>> rows = AllApplications(catalogue->get());
  if (!rows) return tl::unexpected(rows.error());
  for (const ApplicationRow& row : *rows) {
    if (Result<void> removed = (*catalogue)->Remove(row.key); !removed) return tl::unexpected(removed.error());
  }
  return catalogue;
}

int Rebuild(const CollectorVerbOptions& options, const RecordingStore& store) {
  const Result<std::unique_ptr<Catalogue>> catalogue = EmptyCatalogue(options.Catalogue());
  if (!catalogue) return Complain(catalogue.error().message);
  const Progress progress("rebuilding the catalogue");
  const Result<int64_t> applications = FillCatalogue(options.Inspected(store), catalogue->get());
  if (!applications) return Complain(applications.error().message);
  return Complain(fmt::format("rebuilt the catalogue: {}", Count(*applications, "application")), kExitSuccess);
}

int Compact(const CollectorVerbOptions&, RecordingStore& store) {
  const Progress progress("compacting recordings");
  int64_t applications = 0, files = 0, running = 0;
  uint64_t before = 0, after = 0;
  std::error_code error;
  for (const fs::directory_entry& folder : fs::directory_iterator(store.Folder(), error)) {
    if (!folder.is_directory()) continue;
    const Result<RewrittenRecording> rewritten = store.Rewrite(folder.path(), folder.path().filename(), 0);
    if (!rewritten) return Complain(rewritten.error().message);
    for (const std::string& path : rewritten->damaged) Complain(path + ": damaged, left unchanged");
    running += rewritten->is_running ? 1 : 0;
    applications += rewritten->files > 0 ? 1 : 0;
    files += static_cast<int64_t>(rewritten->files);
    before += rewritten->bytes_before;
    after += rewritten->bytes_after;
  }
  if (error) return Complain(fmt::format("{}: cannot list: {}", store.Folder(), error.message()));
  std::string summary =
      fmt::format("compacted {}: {} became {}, {} became {}", Count(applications, "application"), Count(files, "file"),
                  applications, FormatBytes(static_cast<int64_t>(before)), FormatBytes(static_cast<int64_t>(after)));
  if (running > 0) summary += fmt::format("; left {} that had not ended", Count(running, "application"));
  return Complain(summary, kExitSuccess);
}

int Export(const CollectorVerbOptions& options, const RecordingStore&) {
  const std::string location = options.Catalogue();
  if (!IsCatalogueFile(location)) {
    return Complain(
        fmt::format("cannot export {}: only a catalogue of DuckDB can be exported; use ClickHouse's own "
                    "client (SELECT … FORMAT Parquet)",
                    location));
  }
  if (!fs::exists(location)) return Complain(location + ": no catalogue; create it with `sparkprof collector rebuild`");
  if (Result<void> created = CreateFolders(options.parquet); !created) return Complain(created.error().message);
  const Result<std::vector<std::string>> files = ExportDuckdbCatalogue(location, options.parquet);
  if (!files) return Complain(files.error().message);
  std::string text;
  for (const std::string& file : *files) text += file + "\n";
  return Print(text);
}

int Move(const CollectorVerbOptions& options, const RecordingStore& store) {
  const Progress progress("moving recordings to the store");
  const Result<MovedStore> moved = MoveToStore(options.data, store, options.store);
  if (!moved) return Complain(fmt::format("{}; run the command again to continue", moved.error().message));
  for (const std::string& problem : moved->problems) Complain(problem);
  Complain(fmt::format("moved {} in {}, {}", Count(moved->entries, "application"), Count(moved->objects, "object"),
                       FormatBytes(moved->bytes)));
  return moved->problems.empty() ? kExitSuccess : kExitNo;
}

struct Action {
  const char* name;
  int (*run)(const CollectorVerbOptions& options, RecordingStore& store);
  bool reads_store = false;  // also works on a copy of what --store has
};
constexpr Action kActions[] = {
    {"status", [](const CollectorVerbOptions& options, RecordingStore& store) { return PrintStatus(options, store); },
     true},
    {"verify", [](const CollectorVerbOptions& options, RecordingStore& store) { return Verify(options, store); }, true},
    {"rebuild", [](const CollectorVerbOptions& options, RecordingStore& store) { return Rebuild(options, store); }},
    {"compact", [](const CollectorVerbOptions& options, RecordingStore& store) { return Compact(options, store); }},
    {"export", [](const CollectorVerbOptions& options, RecordingStore& store) { return Export(options, store); }, true},
    {"move", [](const CollectorVerbOptions& options, RecordingStore& store) { return Move(options, store); }},
};

// configure requires a running collector; the other actions work on the data of a stopped one.
int RunConfigure(CollectorVerbOptions options, const CLI::App& command) {
  if (options.group_settings.server.server.empty()) return Misuse(command, "configure requires --server URL");
  if (options.group_settings.group.empty()) return Misuse(command, "configure requires --group GROUP");
  options.group_settings.json = options.json;
  return ConfigureGroup(options.group_settings, command);
}

// Runs an action on a copy of what a store has, while nodes may be using it.
int RunOnCopy(CollectorVerbOptions options, const Action& action) {
  const Result<std::unique_ptr<TemporaryFolder>> temporary = TemporaryFolder::Make();
  if (!temporary) return Complain(temporary.error().message);
  options.data = (*temporary)->Path();
  if (Result<void> found = FindStore(options.store); !found) return Complain(found.error().message);
  Result<std::unique_ptr<StoreReplica>> replica =
      StoreReplica::Open(options.store, options.data, [](const std::string& line) { Complain(line); });
  if (!replica) return Complain(replica.error().message);
  AuditLog audit(options.data);
  const std::unique_ptr<ApplicationEntries> entries =
      ApplicationEntries::OfStore((*replica)->Changes(), &audit, /*is_enforced=*/false);
  options.entries = entries.get();
  if (Result<void> attached = (*replica)->Attach(entries.get(), &audit); !attached) {
    return Complain(attached.error().message);
  }
  const Result<std::unique_ptr<RecordingStore>> store = RecordingStore::Open(
      options.data, [](const std::map<std::string, std::string>&) {}, entries.get());
  if (!store) return Complain(store.error().message);
  (*replica)->SetStore(store->get());
  {
    const Progress progress("reading the store");
    const std::atomic<bool> stop = false;
    if (Result<void> loaded = (*replica)->Load(stop); !loaded) return Complain(loaded.error().message);
    const InspectedStore inspected = options.Inspected(**store);
    if (inspected.catalogue_of == CatalogueOf::kServer) {
      const Result<std::unique_ptr<Catalogue>> catalogue = EmptyCatalogue(options.Catalogue());
      if (!catalogue) return Complain(catalogue.error().message);
      if (const Result<int64_t> filled = FillCatalogue(inspected, catalogue->get()); !filled) {
        return Complain(filled.error().message);
      }
    }
  }
  const std::vector<std::string> damage = (*replica)->Damage();
  for (const std::string& problem : damage) Complain(problem);
  const int code = action.run(options, **store);
  return code == kExitSuccess && !damage.empty() && options.action == "verify" ? kExitNo : code;
}

int RunCollectorAction(CollectorVerbOptions options, const CLI::App& command) {
  if (options.action == "configure") return RunConfigure(std::move(options), command);

  const Action* const action = std::find_if(std::begin(kActions), std::end(kActions),
                                            [&](const Action& one) { return options.action == one.name; });
  if (action == std::end(kActions)) {
    return Misuse(command,
                  fmt::format("unknown action '{}'; use status, verify, rebuild, compact, export, move or configure",
                              options.action));
  }
  if (!options.group_settings.changes.empty()) {
    return Misuse(command, fmt::format("unexpected argument '{}'", options.group_settings.changes.front()));
  }
  if ((options.action == "export") != !options.parquet.empty()) {
    return Misuse(command,
                  options.parquet.empty() ? "export requires --parquet-dir DIR" : "--parquet-dir is for export");
  }
  if ((options.action == "move") && options.store.empty()) return Misuse(command, "move requires --store LOCATION");
  ReadZerosInMappedFaults();  // a file on a failing disk is damage for `verify` to report
  if (!options.store.empty() && options.action != "move") {
    if (!options.catalogue.empty() && IsCatalogueFile(options.catalogue)) {
      return Misuse(command, "--catalogue with --store is that of all servers, clickhouse://…");
    }
    if (action->reads_store) return RunOnCopy(std::move(options), *action);
    return Misuse(command,
                  fmt::format("{} is for --data: each server on a store does it with its own copy", options.action));
  }
  options.data = DataFolder(options.data);
  if (!fs::is_directory(options.data + "/recordings")) {
    return Complain(
        fmt::format("{}: not a data folder of `sparkprof serve`: it has no folder recordings", options.data));
  }
  const Result<std::string> restricted = OpenDataFolder(options.data);
  if (!restricted) return Complain(restricted.error().message);
  if (!restricted->empty()) Complain(*restricted);
  // The lock of the opened store prevents servers from starting.
  const Result<std::unique_ptr<RecordingStore>> store =
      RecordingStore::Open(options.data, [](const std::map<std::string, std::string>&) {});
  if (!store) return Complain(store.error().message);
  return action->run(options, **store);
}

}  // namespace

std::function<int()> DefineCollector(CLI::App& command) {
  const auto options = std::make_shared<CollectorVerbOptions>();
  AddActionTo(command, &options->action);
  command.add_option("CHANGE", options->group_settings.changes,
                     "With configure: KEY=VALUE sets a setting, KEY= removes it; none: print the settings");
  AddOption(command, "--data DIR", &options->data, "Data folder of the collector")->capture_default_str();
  AddOption(command, "--store LOCATION", &options->store,
            "Store that servers share; they may use it meanwhile; of status, verify, export and move");
  AddOption(command, "--catalogue LOCATION", &options->catalogue,
            "Catalogue; a file or clickhouse://HOST:PORT/DATABASE (default: DIR/catalogue.duckdb)");
  AddOption(command, "--parquet-dir DIR", &options->parquet, "Folder for the Parquet files of export");
  CollectorOptions& server = options->group_settings.server;
  AddOption(command, "--server URL", &server.server, "URL of `sparkprof serve`; of configure");
  server.AddAccessTo(command, "Options");
  AddOption(command, "--group GROUP", &options->group_settings.group,
            "Group of applications; configure: their label, or else their name, or * for all");
  command.add_flag("--json", options->json, "Print JSON; of status, verify and configure");
  command.footer(
      "configure asks the collector at --server; the settings of a group take effect on its running jobs within a\n"
      "minute, and keys are those of docs/settings.md, without spark.sparkprof. The other actions work on the data\n"
      "of a stopped collector.\n"
      "Examples:\n"
      "  sparkprof collector status --data /var/lib/sparkprof\n"
      "  sparkprof collector verify --data /var/lib/sparkprof\n"
      "  sparkprof collector export --data /var/lib/sparkprof --parquet-dir tables\n"
      "  sparkprof collector move --data /var/lib/sparkprof --store s3://bucket/sparkprof\n"
      "  sparkprof collector configure cpu.interval=20ms --server http://127.0.0.1:8320 --group etl\n"
      "  sparkprof collector configure jobs.share=0.1 --server http://127.0.0.1:8320 --group '*'");
  return [options, &command] { return RunCollectorAction(*options, command); };
}

}  // namespace sparkprof
