#include <set>
#include <string>

#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/kind_printers.h"

namespace kinformer::apiserver {
namespace {

constexpr Column kServiceColumns[] = {
    kNameColumn,
    {.name = "Type", .description = "How the service is reached"},
    {.name = "Cluster-IP", .description = "Address within the cluster"},
    {.name = "External-IP", .description = "Addresses for others"},
    {.name = "Port(s)", .description = "Its ports"},
    kAgeColumn,
    {.name = "Selector", .priority = 1, .description = "Labels of the pods behind it"},
};
constexpr Column kEndpointsColumns[] = {
    kNameColumn, {.name = "Endpoints", .description = "Addresses and ports behind the service"}, kAgeColumn};
constexpr Column kEndpointSliceColumns[] = {
    kNameColumn,
    {.name = "AddressType", .description = "IPv4, IPv6 or FQDN"},
    {.name = "Ports", .description = "Ports that all of them have"},
    {.name = "Endpoints", .description = "Addresses"},
    kAgeColumn,
};
constexpr Column kIngressColumns[] = {
    kNameColumn,
    {.name = "Class", .description = "Class of controllers that serve it"},
    {.name = "Hosts", .description = "Hosts that its rules are for"},
    {.name = "Address", .description = "Where it is reached"},
    {.name = "Ports", .description = "Ports that are open"},
    kAgeColumn,
};
constexpr Column kIngressClassColumns[] = {
    kNameColumn,
    {.name = "Controller", .description = "Controller of the class"},
    {.name = "Parameters", .description = "Object with more of its settings"},
    kAgeColumn,
};
constexpr Column kNetworkPolicyColumns[] = {
    kNameColumn, {.name = "Pod-Selector", .description = "Labels of the pods that it is for"}, kAgeColumn};

/// "a,b,c + 2 more...": at most three, of `count`.
std::string WithMore(const std::vector<std::string>& shown, std::size_t count) {
  std::string text = Joined(shown, ",");
  if (count > shown.size()) text += " + " + std::to_string(count - shown.size()) + " more...";
  return text;
}

constexpr std::size_t kMostShown = 3;

std::string BalancerAddresses(const Object& object) {
  std::set<std::string> addresses;
  for (const Value& ingress : object.At("/status/loadBalancer/ingress").Elements()) {
    std::string address = ingress.At("/ip").StringOr("");
    if (address.empty()) address = ingress.At("/hostname").StringOr("");
    if (!address.empty()) addresses.insert(std::move(address));
  }
  return Joined({addresses.begin(), addresses.end()}, ",");
}

std::string ExternalAddresses(const Object& service) {
  const std::string type = service.At("/spec/type").StringOr("ClusterIP");
  const std::string given = Joined(Strings(service.At("/spec/externalIPs")), ",");
  if (type == "ClusterIP" || type == "NodePort") return given.empty() ? "<none>" : given;
  if (type == "ExternalName") return service.At("/spec/externalName").StringOr("");
  if (type != "LoadBalancer") return "<unknown>";
  const std::string balanced = BalancerAddresses(service);
  if (balanced.empty() && given.empty()) return "<pending>";
  return balanced + (balanced.empty() || given.empty() ? "" : ",") + given;
}

std::string ServicePorts(const Object& service) {
  std::vector<std::string> parts;
  for (const Value& port : service.At("/spec/ports").Elements()) {
    const std::int64_t node_port = port.At("/nodePort").IntOr(0);
    parts.push_back(std::to_string(port.At("/port").IntOr(0)) + (node_port > 0 ? ":" + std::to_string(node_port) : "") +
                    "/" + port.At("/protocol").StringOr("TCP"));
  }
  return parts.empty() ? "<none>" : Joined(parts, ",");
}

void PrintService(const Object& service, Timestamp now, Cells& cells) {
  std::string address = service.At("/spec/clusterIPs/0").StringOr("");
  if (address.empty()) address = service.At("/spec/clusterIP").StringOr("");
  cells.Text(service.Name());
  cells.Text(service.At("/spec/type").StringOr("ClusterIP"));
  cells.TextOr(address, "<none>");
  cells.Text(ExternalAddresses(service));
  cells.Text(ServicePorts(service));
  cells.Text(Age(service, now));
  cells.Text(LabelsText(service.At("/spec/selector")));
}

std::string EndpointsText(const Object& endpoints) {
  std::vector<std::string> shown;
  std::size_t count = 0;
  const std::vector<Value> subsets = endpoints.At("/subsets").Elements();
  if (subsets.empty()) return "<none>";
  for (const Value& subset : subsets) {
    const std::vector<Value> addresses = subset.At("/addresses").Elements();
    const auto add = [&](const std::string& port) {
      count += addresses.size();
      for (const Value& address : addresses) {
        if (shown.size() == kMostShown) return;
        const std::string ip = address.At("/ip").StringOr("");
        const bool brackets = !port.empty() && ip.find(':') != std::string::npos;
        shown.push_back(brackets ? "[" + ip + "]" + port : ip + port);
      }
    };
    const std::vector<Value> ports = subset.At("/ports").Elements();
    if (ports.empty()) add("");
    for (const Value& port : ports) add(":" + std::to_string(port.At("/port").IntOr(0)));
  }
  return WithMore(shown, count);
}

void PrintEndpoints(const Object& endpoints, Timestamp now, Cells& cells) {
  cells.Text(endpoints.Name());
  cells.Text(EndpointsText(endpoints));
  cells.Text(Age(endpoints, now));
}

void PrintEndpointSlice(const Object& slice, Timestamp now, Cells& cells) {
  std::vector<std::string> ports;
  const std::vector<Value> all_ports = slice.At("/ports").Elements();
  for (const Value& port : all_ports) {
    if (ports.size() == kMostShown) break;
    const auto number = port.At("/port").AsInt();
    ports.push_back(number ? std::to_string(*number) : port.At("/name").StringOr("*"));
  }
  std::vector<std::string> addresses;
  std::size_t count = 0;
  for (const Value& endpoint : slice.At("/endpoints").Elements()) {
    for (std::string& address : Strings(endpoint.At("/addresses"))) {
      if (addresses.size() < kMostShown) addresses.push_back(std::move(address));
      ++count;
    }
  }
  cells.Text(slice.Name());
  cells.Text(slice.At("/addressType").StringOr(""));
  cells.TextOr(WithMore(ports, all_ports.size()), "<unset>");
  cells.TextOr(WithMore(addresses, count), "<unset>");
  cells.Text(Age(slice, now));
}

std::string IngressHosts(const Object& ingress) {
  std::vector<std::string> shown;
  bool more = false;
  const std::vector<Value> rules = ingress.At("/spec/rules").Elements();
  for (const Value& rule : rules) {
    more = more || shown.size() == kMostShown;
    std::string host = rule.At("/host").StringOr("");
    if (!more && !host.empty()) shown.push_back(std::move(host));
  }
  if (shown.empty()) return "*";
  return WithMore(shown, more ? rules.size() : shown.size());
}

void PrintIngress(const Object& ingress, Timestamp now, Cells& cells) {
  cells.Text(ingress.Name());
  cells.Text(ingress.At("/spec/ingressClassName").StringOr("<none>"));
  cells.Text(IngressHosts(ingress));
  cells.Text(BalancerAddresses(ingress));
  cells.Text(ingress.At("/spec/tls").Size() > 0 ? "80, 443" : "80");
  cells.Text(Age(ingress, now));
}

void PrintIngressClass(const Object& ingress_class, Timestamp now, Cells& cells) {
  std::string name(ingress_class.Name());
  if (ingress_class.Annotations().Find("ingressclass.kubernetes.io/is-default-class") == "true") name += " (default)";
  std::string parameters = "<none>";
  if (const Value given = ingress_class.At("/spec/parameters"); given.Exists() && !given.IsNull()) {
    parameters = given.At("/kind").StringOr("");
    if (const auto group = given.At("/apiGroup").AsString()) parameters += "." + *group;
    parameters += "/" + given.At("/name").StringOr("");
  }
  cells.Text(name);
  cells.Text(ingress_class.At("/spec/controller").StringOr(""));
  cells.Text(parameters);
  cells.Text(Age(ingress_class, now));
}

void PrintNetworkPolicy(const Object& policy, Timestamp now, Cells& cells) {
  cells.Text(policy.Name());
  cells.TextOr(SelectorText(policy.At("/spec/podSelector")), "<none>");
  cells.Text(Age(policy, now));
}

constexpr KindPrinter kPrinters[] = {
    {"", "Service", kServiceColumns, PrintService},
    {"", "Endpoints", kEndpointsColumns, PrintEndpoints},
    {"discovery.k8s.io", "EndpointSlice", kEndpointSliceColumns, PrintEndpointSlice},
    {"networking.k8s.io", "Ingress", kIngressColumns, PrintIngress},
    {"networking.k8s.io", "IngressClass", kIngressClassColumns, PrintIngressClass},
    {"networking.k8s.io", "NetworkPolicy", kNetworkPolicyColumns, PrintNetworkPolicy},
};

}  // namespace

std::span<const KindPrinter> NetworkPrinters() { return kPrinters; }

}  // namespace kinformer::apiserver
