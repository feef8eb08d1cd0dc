// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "base/background_task.h"
#include "base/io/file.h"
#include "base/system.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "catalogue_option.h"
#include "fleet/fleet_result.h"
#include "http/url.h"
#include "inject_settings.h"
#include "inputs/shared_options.h"
#include "loader/remote_inputs.h"
#include "number_checks.h"
#include "server/server.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr const char* kDefaultAddress = "127.0.0.1:8320";
constexpr std::chrono::seconds kMaxTimeToEndServer{4};  // after SIGTERM
constexpr uint16_t kHttpPort = 80;
constexpr unsigned kRemoteThreads = 16;  // requests that wait for other nodes
constexpr unsigned kStoreThreads = 256;  // requests that wait for the store together share an object

Result<int64_t> ParseNumber(std::string_view text) {
  const std::optional<int64_t> number = ParseInteger(text);
  return number && *number >= 0 ? Result<int64_t>(*number) : Fail("is not a number");
}

struct ServeOptions {
  std::string listen = kDefaultAddress;
  std::string data = "sparkprof-data";
  std::string store, scratch, node_address;
  std::string ack = "store";
  std::vector<std::string> watched;
  std::string watch_owner = "log";
  std::string catalogue;
  std::string token_file;
  std::string certificate, key;
  bool insecure = false;
  std::string cache = "512m";
  std::string keep, keep_bytes, coarsen_after;
  std::string webhook, webhook_severity = "high", public_url;
  std::string fleet, prices, auto_policy;
  std::string fetch_cache = "10g";
  InjectSettings inject;
  bool acls = false;
  std::string admin_acls, admin_acls_groups, user_header, groups_header, tenant_header;
  std::vector<std::string> trusted_proxies, tenant_bytes, tenant_applications, tenant_queries;

  Result<ServerOptions> Finish() const {
    ServerOptions server;
    const Result<ListenAddress> address = ParseListenAddress(listen);
    if (!address) return Fail("--listen: " + address.error().message);
    server.http.address = *address;
    if (certificate.empty() != key.empty()) return Fail("TLS requires both options, --tls-cert and --tls-key");
    server.http.certificate_file = certificate;
    server.http.key_file = key;
    Result<std::optional<InjectOptions>> injection = inject.Finish(!certificate.empty());
    if (!injection) return tl::unexpected(injection.error());
    server.inject = std::move(*injection);
    if (!token_file.empty()) {
      Result<Access> access = Access::ReadTokens(token_file);
      if (!access) return Fail("--tokens: " + access.error().message);
      server.access = std::move(*access);
    }
    Result<AclOptions> acl_options = Acls();
    if (!acl_options) return tl::unexpected(acl_options.error());
    server.access.SetAcls(std::move(*acl_options));
    Result<TenantQuotaOptions> quotas = Quotas();
    if (!quotas) return tl::unexpected(quotas.error());
    server.quotas = std::move(*quotas);
    if (!address->IsLoopback() && token_file.empty() && !insecure) {
      return Fail(fmt::format(
          "--listen {}: others can reach this address; protect it with --tokens FILE, or allow everybody with "
          "--insecure",
          listen));
    }
    const Result<int64_t> bytes = ParseBytes(cache);
    if (!bytes) return Fail(Refusal("--cache", cache, bytes.error()));
    server.max_cache_bytes = static_cast<uint64_t>(*bytes);
    server.data = DataFolder(scratch.empty() ? data : scratch);
    server.store = store;
    server.ack_locally = ack == "local";
    if (server.ack_locally && scratch.empty()) {
      return Fail("--ack local: blocks wait in a folder that must be kept; add --scratch DIR");
    }
    if (!store.empty()) {
      server.http.store_threads = kStoreThreads;
      server.http.remote_threads = kRemoteThreads;
    }
    Result<Url> node_url = NodeUrl();
    if (!node_url) return tl::unexpected(node_url.error());
    server.node_url = std::move(*node_url);
    Result<RetentionOptions> retention = Retention();
    if (!retention) return tl::unexpected(retention.error());
    server.retention = *retention;
    Result<NotificationOptions> notifications = Notifications();
    if (!notifications) return tl::unexpected(notifications.error());
    server.notifications = std::move(*notifications);
    const Result<int64_t> fetched = ParseBytes(fetch_cache);
    if (!fetched) return Fail(Refusal("--fetch-cache", fetch_cache, fetched.error()));
    server.max_fetched_bytes = static_cast<uint64_t>(*fetched);
    server.watched = watched;
    server.watch_owner_of_file = watch_owner == "file";
    for (const std::string& location : FleetLocations(fleet)) {
      if (std::find(watched.begin(), watched.end(), location) == watched.end()) server.watched.push_back(location);
    }
    Result<std::optional<PriceList>> price_list = ReadPrices(prices);
    if (!price_list) return tl::unexpected(price_list.error());
    if (!auto_policy.empty()) {
      Result<AutoPolicy> policy = ReadAutoPolicy(auto_policy);
      if (!policy) return Fail("--auto-policy: " + policy.error().message);
      server.auto_policy = std::move(*policy);
    }
    server.fleet = fleet;
    server.prices = std::move(*price_list);
    return server;
  }

 private:
  // Without a scheme, the scheme and the port are those of the server.
  Result<Url> NodeUrl() const {
    if (node_address.empty()) return Url();
    const bool is_whole = node_address.find("://") != std::string::npos;
    const bool is_bare_ipv6 = !node_address.starts_with('[') && ParseListenAddress("[" + node_address + "]:0");
    const std::string host = is_bare_ipv6 ? "[" + node_address + "]" : node_address;
    Result<Url> url = ParseUrl(is_whole ? node_address : "http://" + host);
    const auto has_no_port = [&] { return Url{"http", url->host, kHttpPort, {}}.Authority() == host; };
    const bool is_address = url && url->target == "/" && (is_whole || has_no_port());
    if (!is_address) {
      return Fail(fmt::format(
          "--node-address: \"{}\" is not a host, an IP address or a URL such as http://10.0.0.7:8320", node_address));
    }
    if (!is_whole) *url = {.scheme = {}, .host = url->host, .port = 0, .target = {}};
    return url;
  }

  Result<RetentionOptions> Retention() const {
    RetentionOptions retention;
    struct Option {
      const char* name;
      const std::string& text;
      Result<int64_t> (*parse)(std::string_view text);
      int64_t* value;
    };
    for (const Option& option :
         {Option{"--keep", keep, ParseDuration, &retention.remove_after_ns},
          Option{"--keep-bytes", keep_bytes, ParseBytes, &retention.max_bytes},
          Option{"--coarsen-after", coarsen_after, ParseDuration, &retention.coarsen_after_ns}}) {
      if (option.text.empty()) continue;
      const Result<int64_t> value = option.parse(option.text);
      if (!value) return Fail(Refusal(option.name, option.text, value.error()));
      if (*value == 0) return Fail(fmt::format("{}: must be greater than 0", option.name));
      *option.value = *value;
    }
    return retention;
  }

  Result<AclOptions> Acls() const {
    const bool has_more =
        !admin_acls.empty() || !admin_acls_groups.empty() || !user_header.empty() || !groups_header.empty();
    if (has_more && !acls) return Fail("these options limit who sees an application; add --acls");
    if (acls && token_file.empty()) return Fail("--acls: users are those of tokens; add --tokens FILE");
    if (!groups_header.empty() && user_header.empty()) return Fail("--groups-header requires --user-header");
    if (trusted_proxies.empty() != (user_header.empty() && tenant_header.empty())) {
      return Fail("--trusted-proxy and --user-header or --tenant-header require each other");
    }
    AclOptions options{.is_enabled = acls,
                       .admins = AclNames(admin_acls),
                       .admin_groups = AclNames(admin_acls_groups),
                       .user_header = ToLowerAscii(user_header),
                       .groups_header = ToLowerAscii(groups_header),
                       .tenant_header = ToLowerAscii(tenant_header),
                       .proxies = {}};
    for (const std::string& proxy : trusted_proxies) {
      const std::string with_port = proxy.find(':') == std::string::npos ? proxy + ":0" : "[" + proxy + "]:0";
      const Result<ListenAddress> address = ParseListenAddress(with_port);
      if (!address) return Fail(fmt::format("--trusted-proxy: \"{}\" is not an IP address", proxy));
      options.proxies.push_back(address->host);
    }
    return options;
  }

  Result<TenantQuotaOptions> Quotas() const {
    TenantQuotaOptions quotas;
    struct Option {
      const char* name;
      const std::vector<std::string>& texts;
      Result<int64_t> (*parse)(std::string_view text);
      int64_t TenantQuota::*value;
    };
    for (const Option& option :
         {Option{"--tenant-bytes", tenant_bytes, ParseBytes, &TenantQuota::bytes},
          Option{"--tenant-applications", tenant_applications, ParseNumber, &TenantQuota::applications},
          Option{"--tenant-queries", tenant_queries, ParseNumber, &TenantQuota::queries}}) {
      for (const std::string& text : option.texts) {
        const size_t equal = text.find('=');
        const std::string tenant = text.substr(0, equal == std::string::npos ? 0 : equal);
        const Result<int64_t> value = option.parse(text.substr(equal + 1));  // npos + 1 is 0
        if (!value) return Fail(Refusal(option.name, text, value.error()));
        if (*value == 0) return Fail(fmt::format("{}: must be greater than 0", option.name));
        if (equal != std::string::npos && !IsTenant(tenant)) {
          return Fail(fmt::format("{} {}: expected TENANT=LIMIT; a tenant has 1 to 64 letters, digits and \"._-\"",
                                  option.name, text));
        }
        // GCC 12 changes a copy if the conditional expression is the operand of ".*".
        TenantQuota& quota = equal == std::string::npos ? quotas.each : quotas.own[tenant];
        quota.*option.value = *value;
      }
    }
    return quotas;
  }

  Result<NotificationOptions> Notifications() const {
    NotificationOptions notifications;
    notifications.severity = webhook_severity == "low"      ? Severity::kLow
                             : webhook_severity == "medium" ? Severity::kMedium
                                                            : Severity::kHigh;
    notifications.page = public_url.ends_with('/') ? public_url.substr(0, public_url.size() - 1) : public_url;
    if (!public_url.empty() && !ParseUrl(public_url)) {
      return Fail(fmt::format("--public-url: \"{}\" is not a URL such as https://profiles.example.com", public_url));
    }
    if (webhook.empty()) return notifications;
    const Result<Url> url = ParseUrl(webhook);
    // Omits the text, which may be secret.
    if (!url) return Fail("--webhook: not a URL of http or https without user and password");
    notifications.webhook = *url;
    return notifications;
  }
};

// Acknowledged data is durable and other work is repeated at the next start, so it can be interrupted, as by a crash.
// `temporary`: a folder to remove; empty = none.
void EndLongWork(const std::string& temporary) {
  std::this_thread::sleep_for(kMaxTimeToEndServer);
  std::error_code error;
  if (!temporary.empty()) std::filesystem::remove_all(temporary, error);
  Complain("background work did not finish; it runs again at the next start");
  _exit(kExitSuccess);
}

int RunServe(const ServeOptions& options, const CLI::App& command) {
  Result<ServerOptions> server_options = options.Finish();
  if (!server_options) return Misuse(command, server_options.error().message);
  // Blocked in all threads: one of them waits for these signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` fails only one request
  RaiseDescriptorLimit();
  ReadZerosInMappedFaults();  // for watched files, which others write

  std::mutex printing;
  std::unique_lock first_line(printing);
  server_options->log = [&printing](const std::string& line) {
    const std::lock_guard lock(printing);
    Complain(line);
  };
  std::unique_ptr<TemporaryFolder> temporary;
  if (!options.store.empty() && options.scratch.empty()) {
    Result<std::unique_ptr<TemporaryFolder>> made = TemporaryFolder::Make();
    if (!made) return Complain(made.error().message);
    temporary = std::move(*made);
    server_options->data = temporary->Path();
  }
  const std::string removed = temporary ? temporary->Path() : "";
  const Result<std::string> restricted = OpenDataFolder(server_options->data);
  if (!restricted) return Complain(restricted.error().message);
  const std::string path = options.catalogue.empty() ? DefaultCatalogue(server_options->data) : options.catalogue;
  std::string rebuilt;
  Result<std::unique_ptr<Catalogue>> catalogue = OpenCatalogue(path, &rebuilt);
  if (!catalogue) return Complain(catalogue.error().message);
  Result<std::unique_ptr<Server>> server = Server::Open(std::move(*server_options), std::move(*catalogue));
  if (!server) return Complain(server.error().message);
  Complain(fmt::format("serving {}/", (*server)->Address()));
  if (!restricted->empty()) Complain(*restricted);
  if (!rebuilt.empty()) Complain(rebuilt);
  first_line.unlock();
  std::thread waiting([&] {
    int signal_number = 0;
    sigwait(&signals, &signal_number);
    (*server)->Stop();
    // Without this thread, long work ends at its own pace.
    (void)Guarded([&]() -> Result<void> {
      std::thread(EndLongWork, removed).detach();
      return {};
    });
  });
  (*server)->Run();
  waiting.join();
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineServe(CLI::App& command) {
  const auto options = std::make_shared<ServeOptions>();
  AddOption(command, "--listen ADDRESS:PORT", &options->listen, "IP address and port; port 0 = any free one")
      ->capture_default_str();
  CLI::Option* const data = command.add_option("--data", options->data, "Data folder of the collector");
  data->capture_default_str()->type_name("DIR");
  CLI::Option* const store = command.add_option(
      "--store", options->store,
      "Store that servers share; replaces --data: file:///FOLDER, s3://BUCKET/PREFIX, gs://…, abfss://… or "
      "hdfs://…");
  store->type_name("LOCATION")->excludes(data);
  AddOption(command, "--scratch DIR", &options->scratch,
            "Folder for this server's copy of --store, which may be lost (default: a temporary one)")
      ->needs(store);
  AddOption(command, "--ack WHERE", &options->ack,
            "When to acknowledge a block: the store has it (store), or a file in --scratch has it (local)")
      ->check(CLI::IsMember({"store", "local"}))
      ->capture_default_str()
      ->needs(store);
  AddOption(command, "--node-address HOST|URL", &options->node_address,
            "Address of this server for the others on --store; without a scheme, with the port of --listen "
            "(default: the address of --listen, or the name of this host)")
      ->needs(store);
  AddOption(command, "--watch LOCATION", &options->watched,
            "Folder of recordings or Spark event logs, read in place: a path, hdfs://HOST:PORT/PATH, "
            "s3a://BUCKET/PREFIX, gs://… or abfss://…; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--watch-owner", options->watch_owner,
                  "Whom a watched file belongs to: the user in its events (log), or the owner of the file (file)")
      ->check(CLI::IsMember({"log", "file"}))
      ->capture_default_str();
  AddOption(command, "--fleet DIR", &options->fleet,
            "Output of sparkprof fleet analyze; the page Fleet shows it, and its logs are watched");
  AddPricesTo(command, &options->prices);
  AddOption(command, "--auto-policy FILE", &options->auto_policy,
            "Policy of automatic sizes; for jobs with auto=on, see docs/auto.md");
  AddOption(command, "--catalogue LOCATION", &options->catalogue,
            "Catalogue; a file or clickhouse://HOST:PORT/DATABASE (default: DIR/catalogue.duckdb)");
  AddOption(command, "--tokens FILE", &options->token_file,
            "File with lines ROLE TOKEN; roles: ingest, read, admin. Required for addresses other than loopback");
  command.add_flag("--acls", options->acls,
                   "Show an application to its user and to those in its spark.ui.view.acls and spark.admin.acls only, "
                   "as Spark's spark.history.ui.acls.enable; requires --tokens with users");
  AddOption(command, "--admin-acls USER,…", &options->admin_acls, "Users who see every application; * is everybody");
  AddOption(command, "--admin-acls-groups GROUP,…", &options->admin_acls_groups, "Groups that see every application");
  AddOption(command, "--user-header NAME", &options->user_header,
            "Header in which a proxy names the user it has authenticated; requires --trusted-proxy");
  AddOption(command, "--groups-header NAME", &options->groups_header, "Header with the user's groups, with commas");
  AddOption(command, "--tenant-header NAME", &options->tenant_header,
            "Header in which a proxy names the tenant of a request; requires --trusted-proxy");
  AddOption(command, "--trusted-proxy IP", &options->trusted_proxies,
            "Trust --user-header and --tenant-header from the proxy at this address; may be repeated")
      ->allow_extra_args(false);
  AddOption(command, "--tenant-bytes SIZE", &options->tenant_bytes,
            "Refuse recordings of a tenant beyond this size (100g); TENANT=SIZE: of one; may be repeated")
      ->allow_extra_args(false);
  AddOption(command, "--tenant-applications N", &options->tenant_applications,
            "Refuse applications of a tenant beyond this number; TENANT=N: of one; may be repeated")
      ->allow_extra_args(false);
  AddOption(command, "--tenant-queries N", &options->tenant_queries,
            "Refuse requests of a tenant's readers beyond this number per second; TENANT=N: of one; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--insecure", options->insecure, "Allow everybody who reaches the address to send and read");
  AddOption(command, "--tls-cert FILE", &options->certificate, "Certificate chain (PEM)");
  AddOption(command, "--tls-key FILE", &options->key, "Private key (PEM)");
  AddOption(command, "--cache SIZE", &options->cache,
            "Memory for loaded applications, half for pages and half for Spark's REST API")
      ->capture_default_str();
  AddOption(command, "--keep TIME", &options->keep, "Remove applications that ended this long ago (90d)");
  AddOption(command, "--keep-bytes SIZE", &options->keep_bytes,
            "Remove the oldest applications beyond this size of recordings (500g)");
  AddOption(command, "--coarsen-after TIME", &options->coarsen_after,
            "Merge samples of applications that ended this long ago (7d) into steps of 10 s, after four times as long "
            "into steps of 1 min");
  AddOption(command, "--webhook URL", &options->webhook,
            "Send notifications of failures, findings and regressions to this URL, as JSON that Slack reads")
      ->envname("SPARKPROF_WEBHOOK");
  AddOption(command, "--webhook-severity SEVERITY", &options->webhook_severity,
            "Least severity of a finding in notifications")
      ->capture_default_str()
      ->check(CLI::IsMember({"low", "medium", "high"}));
  AddOption(command, "--public-url URL", &options->public_url, "Address of this server for links in notifications");
  AddOption(command, "--fetch-cache SIZE", &options->fetch_cache,
            "Disk space below --data for copies of watched files on HDFS and S3")
      ->capture_default_str();
  AddInjectTo(command, &options->inject);
  AddShareTo(command);
  command.footer(
      "Collects recordings from running jobs and shows all applications, live and for months. Ends on SIGTERM.\n"
      "Examples:\n"
      "  sparkprof serve --data /var/lib/sparkprof\n"
      "  sparkprof serve --watch /shared/sparkprof --listen 0.0.0.0:8320 --tokens tokens.txt");
  return [options, &command] { return RunServe(*options, command); };
}

}  // namespace sparkprof
