#include "src/config/kubeconfig.h"
#include "src/base/base64.h"

#include <algorithm>
#include <unordered_map>

#include "src/base/file_reader.h"
#include "src/base/text.h"
#include "src/codec/json_fields.h"
#include "src/config/pem.h"
#include "src/config/server_url.h"
#include "src/config/text.h"
#include "src/meta/error_text.h"
#include "src/transport/url.h"
#include "src/yaml/yaml_tree.h"

namespace kinformer::internal {
namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t kMaxExecConfigJson = std::size_t{64} << 10;
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";
constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kExecV1beta1 = "client.authentication.k8s.io/v1beta1";

std::string Join(std::string_view where, std::string_view what) {
  return std::string(where) + ": " + std::string(what);
}

Error InvalidConfig(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

/// Extracts typed values from the tree and keeps the first error; after an error, all values are empty.
class FieldReader {
 public:
  bool failed() const { return error_.has_value(); }
  Error TakeError() { return std::move(*error_); }

  void Fail(const YamlNode* node, std::string_view where, std::string_view message) {
    if (error_) return;
    std::string text = Join(where, message);
    if (node != nullptr) text += " (line " + std::to_string(node->line) + ")";
    error_ = InvalidConfig(std::move(text));
  }

  /// The value, or nullptr if it is absent, null or of the wrong kind.
  const YamlNode* Get(const YamlNode& map, std::string_view key, std::string_view where, Kind kind) {
    if (error_) return nullptr;
    const YamlNode* const node = map.Find(key);
    return node == nullptr || Is(*node, kind, Join(where, key)) ? node : nullptr;
  }

  bool Is(const YamlNode& node, Kind kind, std::string_view where) {
    if (error_) return false;
    if (node.kind == kind) return true;
    std::string message = "expected " + std::string(KindName(kind)) + ", found " + std::string(KindName(node.kind));
    const bool scalar = node.kind == Kind::kBool || node.kind == Kind::kInteger || node.kind == Kind::kFloat;
    if (kind == Kind::kString && scalar) message += "; put it in quotes";
    Fail(&node, where, message);
    return false;
  }

  std::string String(const YamlNode& map, std::string_view key, std::string_view where) {
    const YamlNode* const node = Get(map, key, where, Kind::kString);
    return node == nullptr ? std::string() : node->text;
  }

  bool Bool(const YamlNode& map, std::string_view key, std::string_view where) {
    const YamlNode* const node = Get(map, key, where, Kind::kBool);
    return node != nullptr && node->truth;
  }

  std::string Base64(const YamlNode& map, std::string_view key, std::string_view where) {
    const YamlNode* const node = Get(map, key, where, Kind::kString);
    if (node == nullptr) return {};
    auto decoded = DecodeBase64(node->text);
    if (decoded) return *std::move(decoded);
    Fail(node, Join(where, key), decoded.error().message);
    return {};
  }

  std::vector<std::string> Strings(const YamlNode& map, std::string_view key, std::string_view where) {
    const YamlNode* const node = Get(map, key, where, Kind::kSequence);
    return node == nullptr ? std::vector<std::string>() : Strings(*node, Join(where, key));
  }

  std::vector<std::string> Strings(const YamlNode& list, const std::string& where) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < list.items.size() && !error_; ++i) {
      if (Is(*list.items[i], Kind::kString, AtIndex(where, i))) out.push_back(list.items[i]->text);
    }
    return out;
  }

 private:
  std::optional<Error> error_;
};

class KubeconfigParser {
 public:
  KubeconfigParser(const std::string& source, const std::string& base_dir) : source_(source), base_dir_(base_dir) {}

  Result<Kubeconfig> Parse(std::string_view text) {
    auto root = ParseYaml(text, {.bytes = kMaxKubeconfigBytes});
    if (!root) {
      Error error = Annotate(std::move(root).error(), source_);
      error.code = ErrorCode::kInvalidConfig;
      return error;
    }
    Kubeconfig out;
    out.sources.push_back(source_);
    if (!*root) return out;
    const YamlNode& document = **root;
    if (reader_.Is(document, Kind::kMap, source_)) {
      CheckType(document);
      out.current_context = reader_.String(document, "current-context", source_);
      out.clusters = Entries<KubeconfigCluster>(document, "clusters", "cluster", &KubeconfigParser::ReadCluster);
      out.users = Entries<KubeconfigUser>(document, "users", "user", &KubeconfigParser::ReadUser);
      out.contexts = Entries<KubeconfigContext>(document, "contexts", "context", &KubeconfigParser::ReadContext);
    }
    if (reader_.failed()) return reader_.TakeError();
    return out;
  }

 private:
  void CheckType(const YamlNode& document) {
    if (const std::string kind = reader_.String(document, "kind", source_); !kind.empty() && kind != "Config") {
      reader_.Fail(document.Find("kind"), source_, "kind: expected Config, found " + Quoted(kind));
    }
    const std::string version = reader_.String(document, "apiVersion", source_);
    if (!version.empty() && version != "v1") {
      reader_.Fail(document.Find("apiVersion"), source_, "apiVersion: expected v1, found " + Quoted(version));
    }
  }

  template <typename Entry>
  std::vector<Entry> Entries(const YamlNode& document, std::string_view list_name, std::string_view body_name,
                             void (KubeconfigParser::*read)(const YamlNode&, Entry&)) {
    std::vector<Entry> out;
    const YamlNode* const list = reader_.Get(document, list_name, source_, Kind::kSequence);
    if (list == nullptr) return out;
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < list->items.size() && !reader_.failed(); ++i) {
      const YamlNode& item = *list->items[i];
      Entry entry;
      entry.origin = Join(source_, AtIndex(list_name, i));
      if (!reader_.Is(item, Kind::kMap, entry.origin)) break;
      entry.name = reader_.String(item, "name", entry.origin);
      if (entry.name.empty()) {
        reader_.Fail(&item, entry.origin, "name: missing");
        break;
      }
      entry.origin += " " + Quoted(entry.name);
      if (const auto [first, is_new] = seen.emplace(entry.name, i); !is_new) {
        reader_.Fail(&item, entry.origin, "name: already used by " + AtIndex(list_name, first->second));
        break;
      }
      if (const YamlNode* const body = reader_.Get(item, body_name, entry.origin, Kind::kMap); body != nullptr) {
        (this->*read)(*body, entry);
      }
      out.push_back(std::move(entry));
    }
    return out;
  }

  std::string Path(const YamlNode& map, std::string_view key, std::string_view where) {
    return ResolvePath(reader_.String(map, key, where), base_dir_);
  }

  void ReadCluster(const YamlNode& body, KubeconfigCluster& out) {
    const std::string& where = out.origin;
    out.server = reader_.String(body, "server", where);
    out.tls_server_name = reader_.String(body, "tls-server-name", where);
    out.insecure_skip_tls_verify = reader_.Bool(body, "insecure-skip-tls-verify", where);
    out.ca_file = Path(body, "certificate-authority", where);
    out.ca_data = reader_.Base64(body, "certificate-authority-data", where);
    out.proxy_url = Secret(reader_.String(body, "proxy-url", where));
    out.disable_compression = reader_.Bool(body, "disable-compression", where);
    ReadExtensions(body, out);
  }

  /// Only the extension for exec plugins; the others belong to other programs.
  void ReadExtensions(const YamlNode& body, KubeconfigCluster& out) {
    const YamlNode* const list = reader_.Get(body, "extensions", out.origin, Kind::kSequence);
    if (list == nullptr) return;
    for (const YamlNodePtr& item : list->items) {
      const YamlNode* const name = item->Find("name");
      const YamlNode* const extension = item->Find("extension");
      if (name == nullptr || name->text != kExecExtension || extension == nullptr) continue;
      auto extension_json = ToJson(*extension, kMaxExecConfigJson);
      if (!extension_json)
        return reader_.Fail(extension, Join(out.origin, "extensions"), extension_json.error().message);
      out.exec_config = Secret(*std::move(extension_json));
    }
  }

  void ReadUser(const YamlNode& body, KubeconfigUser& out) {
    const std::string& where = out.origin;
    out.client_certificate_file = Path(body, "client-certificate", where);
    out.client_certificate_data = reader_.Base64(body, "client-certificate-data", where);
    out.client_key_file = Path(body, "client-key", where);
    out.client_key_data = Secret(reader_.Base64(body, "client-key-data", where));
    out.token = Secret(reader_.String(body, "token", where));
    out.token_file = Path(body, "tokenFile", where);
    out.impersonate.user = reader_.String(body, "as", where);
    out.impersonate.uid = reader_.String(body, "as-uid", where);
    out.impersonate.groups = reader_.Strings(body, "as-groups", where);
    if (const YamlNode* const extra = reader_.Get(body, "as-user-extra", where, Kind::kMap); extra != nullptr) {
      for (const auto& [key, values] : extra->entries) {
        const std::string entry = Join(where, "as-user-extra: " + Quoted(key));
        if (!reader_.Is(*values, Kind::kSequence, entry)) return;
        out.impersonate.extra[key] = reader_.Strings(*values, entry);
      }
    }
    out.username = reader_.String(body, "username", where);
    out.password = Secret(reader_.String(body, "password", where));
    if (const YamlNode* const provider = reader_.Get(body, "auth-provider", where, Kind::kMap); provider != nullptr) {
      out.auth_provider = reader_.String(*provider, "name", Join(where, "auth-provider"));
    }
    if (const YamlNode* const exec = reader_.Get(body, "exec", where, Kind::kMap); exec != nullptr) {
      ReadExec(*exec, Join(where, "exec"), out);
    }
  }

  void ReadExec(const YamlNode& body, const std::string& where, KubeconfigUser& out) {
    ExecConfig exec;
    exec.command = reader_.String(body, "command", where);
    // A bare name is looked up in PATH. Anything with a slash is a path, relative to the kubeconfig's directory.
    if (exec.command.find('/') != std::string::npos) exec.command = ResolvePath(exec.command, base_dir_);
    exec.args = reader_.Strings(body, "args", where);
    exec.api_version = reader_.String(body, "apiVersion", where);
    exec.install_hint = reader_.String(body, "installHint", where);
    exec.provide_cluster_info = reader_.Bool(body, "provideClusterInfo", where);
    if (const YamlNode* const env = reader_.Get(body, "env", where, Kind::kSequence); env != nullptr) {
      for (std::size_t i = 0; i < env->items.size() && !reader_.failed(); ++i) {
        const std::string entry = Join(where, AtIndex("env", i));
        if (!reader_.Is(*env->items[i], Kind::kMap, entry)) return;
        std::string name = reader_.String(*env->items[i], "name", entry);
        exec.env.emplace_back(std::move(name), Secret(reader_.String(*env->items[i], "value", entry)));
      }
    }
    out.interactive_mode = reader_.String(body, "interactiveMode", where);
    out.exec = std::move(exec);
  }

  void ReadContext(const YamlNode& body, KubeconfigContext& out) {
    out.cluster = reader_.String(body, "cluster", out.origin);
    out.user = reader_.String(body, "user", out.origin);
    out.namespace_name = reader_.String(body, "namespace", out.origin);
  }

  const std::string& source_;
  const std::string& base_dir_;
  FieldReader reader_;
};

template <typename Entry>
const Entry* FindEntry(const std::vector<Entry>& entries, const std::string& name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

/// The valid names, for an error message.
template <typename Entry>
std::string ListNames(const std::vector<Entry>& entries) {
  if (entries.empty()) return "none available";
  constexpr std::size_t kShown = 20;
  std::string out = "available: ";
  for (std::size_t i = 0; i < entries.size() && i < kShown; ++i) {
    if (i > 0) out += ", ";
    out += Quoted(entries[i].name);
  }
  if (entries.size() > kShown) out += " and " + std::to_string(entries.size() - kShown) + " more";
  return out;
}

std::string SourceNames(const Kubeconfig& kubeconfig) {
  std::string out;
  for (const std::string& source : kubeconfig.sources) {
    if (!out.empty()) out += ", ";
    out += source;
  }
  return out;
}

template <typename Entry>
void AddNew(std::vector<Entry>& into, std::vector<Entry> more) {
  std::unordered_map<std::string, bool> names;
  for (const Entry& entry : into) names.emplace(entry.name, true);
  for (Entry& entry : more) {
    if (names.find(entry.name) == names.end()) into.push_back(std::move(entry));
  }
}

bool IsDnsLabel(std::string_view text) {
  const auto is_alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_alphanumeric(c) || c == '-'; });
}

/// Settings of a user entry that a Config cannot express.
std::optional<ConfigProblem> FindUserProblem(const KubeconfigUser& user) {
  constexpr auto kUser = ConfigProblem::Part::kUser;
  if (user.auth_provider) {
    return ConfigProblem{kUser, "auth-provider",
                         Quoted(*user.auth_provider) +
                             " is not supported: Kubernetes has removed the providers that were built into clients; "
                             "use an exec plugin instead"};
  }
  if (!user.exec) return std::nullopt;
  const std::string& mode = user.interactive_mode;
  if (mode.empty() && user.exec->api_version != kExecV1beta1) {
    return ConfigProblem{kUser, "exec: interactiveMode", "missing; with " + std::string(kExecV1) + " it is required"};
  }
  if (mode == "Always") {
    return ConfigProblem{kUser, "exec: interactiveMode",
                         "Always is not supported: plugins run without a terminal here; use IfAvailable or Never"};
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    return ConfigProblem{kUser, "exec: interactiveMode",
                         "expected Never, IfAvailable or Always, found " + Quoted(mode)};
  }
  return std::nullopt;
}

void SetUser(const KubeconfigUser& user, Config& config) {
  config.user_name = user.name;
  config.user_origin = user.origin;
  config.client_certificate_data = user.client_certificate_data;
  config.client_certificate_file = user.client_certificate_file;
  config.client_key_data = user.client_key_data;
  config.client_key_file = user.client_key_file;
  config.token = user.token;
  config.token_file = user.token_file;
  config.username = user.username;
  config.password = user.password;
  config.exec = user.exec;
  config.impersonate = user.impersonate;
}

/// Credentials must not be sent in clear text: for an http:// server only the impersonation is kept.
void DropTlsAndCredentials(Config& config) {
  Config kept;
  kept.server = std::move(config.server);
  kept.namespace_name = std::move(config.namespace_name);
  kept.impersonate = std::move(config.impersonate);
  kept.proxy_url = std::move(config.proxy_url);
  kept.disable_compression = config.disable_compression;
  kept.context_name = std::move(config.context_name);
  kept.cluster_name = std::move(config.cluster_name);
  kept.user_name = std::move(config.user_name);
  kept.cluster_origin = std::move(config.cluster_origin);
  kept.user_origin = std::move(config.user_origin);
  config = std::move(kept);
}

bool AreHeaderValues(const Impersonation& impersonate) {
  const auto all = [](const std::vector<std::string>& values) {
    return std::all_of(values.begin(), values.end(), IsHeaderValue);
  };
  return IsHeaderValue(impersonate.user) && IsHeaderValue(impersonate.uid) && all(impersonate.groups) &&
         std::all_of(impersonate.extra.begin(), impersonate.extra.end(),
                     [&](const auto& entry) { return !entry.first.empty() && all(entry.second); });
}

std::optional<ConfigProblem> FindExecProblem(const ExecConfig& exec) {
  constexpr auto kUser = ConfigProblem::Part::kUser;
  if (exec.command.empty()) return ConfigProblem{kUser, "exec: command", "missing"};
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (has_nul(exec.command)) return ConfigProblem{kUser, "exec: command", "contains a NUL character"};
  if (std::any_of(exec.args.begin(), exec.args.end(), has_nul)) {
    return ConfigProblem{kUser, "exec: args", "contain a NUL character"};
  }
  if (exec.api_version.empty()) return ConfigProblem{kUser, "exec: apiVersion", "missing"};
  if (exec.api_version != kExecV1 && exec.api_version != kExecV1beta1) {
    return ConfigProblem{kUser, "exec: apiVersion",
                         Quoted(exec.api_version) + " is not supported; " + std::string(kExecV1) + " and " +
                             std::string(kExecV1beta1) + " are"};
  }
  for (std::size_t i = 0; i < exec.env.size(); ++i) {
    const auto& [name, value] = exec.env[i];
    const std::string field = "exec: " + AtIndex("env", i);
    if (name.empty()) return ConfigProblem{kUser, field, "name: missing"};
    if (name.find('=') != std::string::npos || has_nul(name)) {
      return ConfigProblem{kUser, field, "name: contains '=' or a NUL character"};
    }
    if (has_nul(value.Reveal())) return ConfigProblem{kUser, field, "value: contains a NUL character"};
  }
  return std::nullopt;
}

/// Checks a certificate and key given as text.
std::optional<ConfigProblem> FindKeyPairProblem(const std::string& certificate, const std::string& key,
                                                const std::string& certificate_field, const std::string& key_field) {
  constexpr auto kUser = ConfigProblem::Part::kUser;
  if (auto checked = CheckCertificates(certificate); !checked) {
    return ConfigProblem{kUser, certificate_field, checked.error().message};
  }
  if (auto checked = CheckKeyPair(certificate, key); !checked) {
    return ConfigProblem{kUser, key_field, checked.error().message};
  }
  return std::nullopt;
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& source, const std::string& base_dir) {
  return KubeconfigParser(source, base_dir).Parse(text);
}

void MergeKubeconfig(Kubeconfig& into, Kubeconfig later) {
  into.sources.insert(into.sources.end(), later.sources.begin(), later.sources.end());
  AddNew(into.clusters, std::move(later.clusters));
  AddNew(into.users, std::move(later.users));
  AddNew(into.contexts, std::move(later.contexts));
  if (into.current_context.empty()) into.current_context = std::move(later.current_context);
}

Result<Config> ResolveKubeconfig(const Kubeconfig& kubeconfig, const std::string& context_override) {
  const std::string sources = SourceNames(kubeconfig);
  if (kubeconfig.IsEmpty()) return InvalidConfig(Join(sources, "is empty"));
  const std::string& wanted = context_override.empty() ? kubeconfig.current_context : context_override;
  if (wanted.empty()) {
    return InvalidConfig(Join(sources, "current-context: not set; " + ListNames(kubeconfig.contexts)));
  }
  const KubeconfigContext* const context = FindEntry(kubeconfig.contexts, wanted);
  if (context == nullptr) {
    const char* const field = context_override.empty() ? "current-context: " : "";
    return InvalidConfig(
        Join(sources, field + ("no context " + Quoted(wanted)) + "; " + ListNames(kubeconfig.contexts)));
  }
  if (context->cluster.empty()) return InvalidConfig(Join(context->origin, "cluster: missing"));
  const KubeconfigCluster* const cluster = FindEntry(kubeconfig.clusters, context->cluster);
  if (cluster == nullptr) {
    return InvalidConfig(Join(
        context->origin, "cluster: no cluster " + Quoted(context->cluster) + "; " + ListNames(kubeconfig.clusters)));
  }
  const KubeconfigUser* user = nullptr;
  if (!context->user.empty()) {
    user = FindEntry(kubeconfig.users, context->user);
    if (user == nullptr) {
      return InvalidConfig(
          Join(context->origin, "user: no user " + Quoted(context->user) + "; " + ListNames(kubeconfig.users)));
    }
  }
  if (!context->namespace_name.empty() && !IsDnsLabel(context->namespace_name)) {
    return InvalidConfig(
        Join(context->origin, "namespace: " + Quoted(context->namespace_name) + " is not a valid namespace name"));
  }

  Config config;
  config.context_name = context->name;
  config.cluster_name = cluster->name;
  config.cluster_origin = cluster->origin;
  config.server = cluster->server;
  if (!context->namespace_name.empty()) config.namespace_name = context->namespace_name;
  config.ca_data = cluster->ca_data;
  config.ca_file = cluster->ca_file;
  config.insecure_skip_tls_verify = cluster->insecure_skip_tls_verify;
  config.tls_server_name = cluster->tls_server_name;
  config.proxy_url = cluster->proxy_url;
  config.disable_compression = cluster->disable_compression;
  if (user != nullptr) {
    SetUser(*user, config);
    if (config.exec) config.exec->cluster_config = cluster->exec_config;
    if (const auto problem = FindUserProblem(*user)) return ToError(config, *problem);
  }
  if (const auto problem = FindProblem(config)) return ToError(config, *problem);
  config.server = NormalizeServerUrl(config.server).value_or(config.server);
  if (!IsHttps(config.server)) {
    DropTlsAndCredentials(config);
  } else if (const auto problem = FindFileProblem(config)) {
    return ToError(config, *problem);
  }
  return config;
}

std::optional<ConfigProblem> FindProblem(const Config& config) {
  constexpr auto kCluster = ConfigProblem::Part::kCluster;
  constexpr auto kUser = ConfigProblem::Part::kUser;

  if (config.server.empty()) return ConfigProblem{kCluster, "server", "missing"};
  if (auto checked = NormalizeServerUrl(config.server); !checked) {
    return ConfigProblem{kCluster, "server", checked.error().message};
  }
  if (!config.proxy_url.empty()) {
    if (auto checked = CheckProxyUrl(config.proxy_url.Reveal()); !checked) {
      return ConfigProblem{kCluster, "proxy-url", checked.error().message};
    }
  }
  if (config.insecure_skip_tls_verify && !(config.ca_data.empty() && config.ca_file.empty())) {
    return ConfigProblem{kCluster, "insecure-skip-tls-verify",
                         "cannot be set together with a certificate authority, which would not be used"};
  }
  if (!config.ca_data.empty()) {
    if (auto checked = CheckCertificates(config.ca_data); !checked) {
      return ConfigProblem{kCluster, "certificate-authority-data", checked.error().message};
    }
  }

  const bool has_certificate = !config.client_certificate_data.empty() || !config.client_certificate_file.empty();
  const bool has_key = !config.client_key_data.empty() || !config.client_key_file.empty();
  if (has_certificate && !has_key) {
    return ConfigProblem{kUser, "client-certificate", "no client-key or client-key-data to go with it"};
  }
  if (has_key && !has_certificate) {
    return ConfigProblem{kUser, "client-key", "no client-certificate or client-certificate-data to go with it"};
  }
  if (!config.client_certificate_data.empty() && !config.client_key_data.empty()) {
    if (auto problem = FindKeyPairProblem(config.client_certificate_data, config.client_key_data.Reveal(),
                                          "client-certificate-data", "client-key-data")) {
      return problem;
    }
  }

  if (!IsHeaderValue(config.token.Reveal())) {
    return ConfigProblem{kUser, "token", "contains a line break or another control character"};
  }
  const bool has_basic = !config.username.empty() || !config.password.empty();
  if (has_basic && (!config.token.empty() || !config.token_file.empty())) {
    return ConfigProblem{kUser, config.token.empty() ? "tokenFile" : "token",
                         "cannot be set together with username and password"};
  }
  if (has_basic && config.username.empty()) return ConfigProblem{kUser, "username", "missing beside password"};
  if (config.username.find(':') != std::string::npos) return ConfigProblem{kUser, "username", "contains a colon"};

  const Impersonation& impersonate = config.impersonate;
  if (impersonate.user.empty() &&
      !(impersonate.uid.empty() && impersonate.groups.empty() && impersonate.extra.empty())) {
    return ConfigProblem{kUser, "as", "missing beside as-uid, as-groups or as-user-extra"};
  }
  if (!AreHeaderValues(impersonate)) {
    return ConfigProblem{kUser, "as", "an impersonated name is empty or contains a control character"};
  }
  if (!IsHeaderValue(config.user_agent)) {
    return ConfigProblem{kUser, "user agent", "contains a line break or another control character"};
  }
  return config.exec ? FindExecProblem(*config.exec) : std::nullopt;
}

std::optional<ConfigProblem> FindFileProblem(const Config& config) {
  constexpr auto kCluster = ConfigProblem::Part::kCluster;
  constexpr auto kUser = ConfigProblem::Part::kUser;
  const auto about = [](const std::string& path, const std::string& message) { return Join(path, message); };

  if (config.ca_data.empty() && !config.ca_file.empty()) {
    auto content = ReadFile(config.ca_file, kMaxCredentialFileBytes);
    auto checked = content ? CheckCertificates(*content) : Result<void>(content.error());
    if (!checked) {
      return ConfigProblem{kCluster, "certificate-authority", about(config.ca_file, checked.error().message)};
    }
  }
  const bool certificate_is_file = config.client_certificate_data.empty() && !config.client_certificate_file.empty();
  const bool key_is_file = config.client_key_data.empty() && !config.client_key_file.empty();
  if (certificate_is_file || key_is_file) {
    std::string certificate = config.client_certificate_data;
    std::string certificate_field = "client-certificate-data";
    if (certificate_is_file) {
      certificate_field = "client-certificate: " + config.client_certificate_file;
      auto content = ReadFile(config.client_certificate_file, kMaxCredentialFileBytes);
      if (!content) return ConfigProblem{kUser, certificate_field, content.error().message};
      certificate = *std::move(content);
    }
    std::string key = config.client_key_data.Reveal();
    std::string key_field = "client-key-data";
    if (key_is_file) {
      key_field = "client-key: " + config.client_key_file;
      auto content = ReadFile(config.client_key_file, kMaxCredentialFileBytes);
      if (!content) return ConfigProblem{kUser, key_field, content.error().message};
      key = *std::move(content);
    }
    if (auto problem = FindKeyPairProblem(certificate, key, certificate_field, key_field)) return problem;
  }
  if (config.token.empty() && !config.token_file.empty()) {
    auto content = ReadFile(config.token_file, kMaxCredentialFileBytes);
    if (!content) return ConfigProblem{kUser, "tokenFile", about(config.token_file, content.error().message)};
    if (Trim(*content).empty()) return ConfigProblem{kUser, "tokenFile", about(config.token_file, "is empty")};
    if (!IsHeaderValue(Trim(*content))) {
      return ConfigProblem{kUser, "tokenFile", about(config.token_file, "contains a control character")};
    }
  }
  return std::nullopt;
}

Error ToError(const Config& config, const ConfigProblem& problem) {
  const std::string& origin =
      problem.part == ConfigProblem::Part::kCluster ? config.cluster_origin : config.user_origin;
  // The message may contain paths exactly as written in the kubeconfig, so it is sanitized and truncated.
  constexpr std::size_t kLongest = 2000;
  const std::string text = OneLine(Join(problem.field, problem.message), kLongest, Keep::kEnd);
  return InvalidConfig(Join(origin.empty() ? "configuration" : origin, text));
}

bool HasAuthBesidesExec(const Config& config) {
  return !config.token.empty() || !config.token_file.empty() || !config.username.empty() ||
         !config.client_certificate_data.empty() || !config.client_certificate_file.empty();
}

}  // namespace kinformer::internal
