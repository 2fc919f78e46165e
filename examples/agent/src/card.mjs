// The sample agent's cards, in the SDK's in-memory form; `AgentCard.toJSON` makes the JSON of A2A v1.0 of it.
import { SKILLS } from "./behaviours.mjs";

/** An extension the agent knows: a client that asks for it is told in `A2A-Extensions` that it is active. */
export const EXTENSION = "https://example.com/extensions/politeness/v1";

/**
 * @param {object} options
 * @param {{ url: string, protocolBinding: string, protocolVersion: string }[]} options.interfaces
 * @param {string} [options.name]
 * @param {import("./behaviours.mjs").Skill[]} [options.skills]
 * @returns {import("@a2a-js/sdk").AgentCard}
 */
export function createCard({ interfaces, name = "Sample agent", skills = SKILLS }) {
  return {
    name,
    description: "Shows what A2A agents do, one behaviour per skill. The first word of your message chooses it.",
    version: "1.0.0",
    supportedInterfaces: interfaces.map((entry) => ({ tenant: "", ...entry })),
    provider: { organization: "a2a-compat", url: "https://example.com" },
    documentationUrl: undefined,
    iconUrl: undefined,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [{ uri: EXTENSION, description: "Says please and thank you.", required: false, params: undefined }],
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ["text/plain", "application/json", "application/octet-stream"],
    defaultOutputModes: ["text/plain", "application/json", "image/png"],
    skills: skills.map(({ id, name, description, tags, examples }) => ({
      id, name, description, tags, examples, inputModes: [], outputModes: [], securityRequirements: [],
    })),
    signatures: [],
  };
}

/**
 * The extended card: the public one and a skill that only its readers know about.
 * @param {import("@a2a-js/sdk").AgentCard} card
 * @returns {import("@a2a-js/sdk").AgentCard}
 */
export function extendCard(card) {
  const [first] = card.skills;
  return {
    ...card,
    name: `${card.name} (extended)`,
    skills: [...card.skills, { ...first, id: "secret", name: "Secret", description: "Only in the extended card.", tags: ["extended"], examples: [] }],
  };
}
