import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readFindings } from './read-finding.ts';

/** Subject, relation, object, population, comparator and value, without those that are not said; findings on lines. */
function read(sentence: string): string | undefined {
  const lines = readFindings(sentence).map(({ subject, relation, object, population, comparator, value }) => {
    const more = [population && `in ${population}`, comparator && `vs ${comparator}`, value && `= ${value}`];
    return [subject, relation, object, ...more.filter((each) => each)].join(' | ');
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}

test('what something does to something else is a finding, with whom, against what and how much', () => {
  assert.equal(
    read('Aspirin significantly reduced mortality in patients with stroke (RR 0.8, 95% CI 0.7–0.9).'),
    'Aspirin | decreases | mortality | in patients with stroke | = RR 0.8, 95% CI 0.7–0.9',
  );
  assert.equal(
    read('Our results showed that the oil reduced intracellular levels of ROS in astrocytes compared with LPS alone.'),
    'oil | decreases | intracellular levels of ROS | in astrocytes | vs LPS alone',
  );
  assert.equal(
    read('The addition of the foil increases cell mass by 1.3%, while the ratio is constant.'),
    'addition of the foil | increases | cell mass | = 1.3%',
  );
  assert.equal(read('Growth was strongly inhibited by thymol.'), 'thymol | inhibits | Growth');
});

test('a comparison says who has more of what', () => {
  assert.equal(
    read('The score of Group L was significantly higher than that of Group C (P = 0.014).'),
    'Group L | increases | score | vs Group C | = P = 0.014',
  );
  assert.equal(
    read('Patients with diabetes had significantly higher risks of stroke than healthy controls.'),
    'Patients with diabetes | increases | risks of stroke | vs healthy controls',
  );
});

test('no difference and an association are findings', () => {
  assert.equal(
    read('There was no significant difference in pain between ibuprofen and placebo.'),
    'ibuprofen | no difference | pain | vs placebo',
  );
  assert.equal(
    read('Among women with breast cancer, younger age was associated with a risk of stroke (HR 1.3).'),
    'younger age | associated | risk of stroke | in women with breast cancer | = HR 1.3',
  );
});

test('what a thing consists of keeps its list', () => {
  assert.equal(
    read('The main compounds of the oil were cyperene (18%), nardosina-1,11-diene (15%), and cadalene (7%).'),
    'oil | contains | cyperene, nardosina-1,11-diene, and cadalene | = 18%',
  );
});

test('wishes, guesses, what others found, negations and pointers are no findings', () => {
  for (const sentence of [
    'Aspirin may reduce the mortality of patients.',
    'We asked whether aspirin reduced the mortality.',
    'Previous studies showed that aspirin reduced the mortality.',
    'Aspirin was poorly related to mortality.',
    'The IC50 showed a higher toxicity of the oil than of its compounds.',
    'Many of these genes were associated with cell death.',
    'Mortality was 46% in public hospitals and 49% in private hospitals.',
    'Mortality was higher in men than in women, but this was not statistically significant.',
    'The enzyme activity decreased slowly under normal conditions.',
    'The systems reduced the wind speed.',
    'The levels of LOX showed a significant increase in primed samples.',
    'Analysis of young leaves showed a reduction in oil.',
    'The weight was reduced with mean index = 6.02.',
    'Upon graphene growth, the conductivity becomes markedly enhanced.',
    'The drought induced an intense reduction in growth.',
    'Since the number of cases increased more gradually in Bonn than in Ulm, we have more data.',
    'The amount of mRNA increased about 20-fold after a day.',
    'The e-Flu system is composed of a server and two clients.',
    'The physician raised the suspicion of a fever.',
    'The herbivore-induced increased level of terpenoids harmed the larvae.',
    'The site did not contain the sequence.',
    'This reduced the mortality.',
    'Background: Aspirin reduces the mortality of patients.',
    'Urinalysis revealed occult blood and elevated protein.',
    'Patients with increased risk stayed.',
    'Vomiting was comparable between 2 groups.',
    'The present study was associated with some limitations.',
    'Did aspirin reduce the mortality?',
  ])
    assert.equal(read(sentence), undefined, sentence);
});

test('a part that a break cut off, or a word of order alone, is no part of a finding', () => {
  assert.equal(read('Onset age was associated with elevated risks of.'), undefined);
  assert.equal(read('Homology modelling predicts a fold similar to that of CHS2.'), undefined);
  assert.equal(read('Most indices did not differ between primary and secondary cases.'), undefined);
});

test('no effect, no association and an insignificant difference are findings of no difference', () => {
  assert.equal(read('Aspirin did not reduce the mortality.'), 'Aspirin | no difference | mortality');
  assert.equal(read('Smoking was not associated with relapse.'), 'Smoking | no difference | relapse');
  assert.equal(
    read('Relapse was higher in smokers than in others (8% vs 7%, p = 0.41).'),
    'smokers | no difference | Relapse | vs others | = 8% vs 7%, p = 0.41',
  );
  assert.equal(
    read('No difference in rates was found between high- and low-risk groups (p = 0.4).'),
    'high-risk groups | no difference | rates | vs low-risk groups | = p = 0.4',
  );
});

test('a sentence of several clauses has several findings', () => {
  assert.equal(
    read(
      'The mean resistance was lower for model A than for model B (p < 0.01), but leakage did not differ between model A and model B (p > 0.05).',
    ),
    'model A | decreases | mean resistance | vs model B | = p < 0.01\nmodel A | no difference | leakage | vs model B | = p > 0.05',
  );
  assert.equal(
    read('Older age, a history of tuberculosis, and the absence of immunity were associated with death.'),
    'Older age, a history of tuberculosis, and the absence of immunity | associated | death',
  );
});

test('two numbers are a difference if it was tested', () => {
  assert.equal(
    read('The response rate was 46% in the treated group and 30% in the control group (p = 0.01).'),
    'treated group | increases | response rate | vs control group | = 46% versus 30%; p = 0.01',
  );
});

test('what comes before a clause is its population, what it is compared with, or what it is about', () => {
  assert.equal(
    read('Compared with placebo, aspirin significantly reduced mortality.'),
    'aspirin | decreases | mortality | vs placebo',
  );
  assert.equal(
    read('However, in the root oil, aplotaxene was the main constituent (27.3%).'),
    'root oil | contains | aplotaxene | = 27.3%',
  );
  assert.equal(
    read('Upon drought stress, the expression of six genes was reduced.'),
    'drought stress | decreases | expression of six genes',
  );
});

test('further forms: shares, factors of risk, activity, changes after something, odds', () => {
  for (const [sentence, finding] of [
    [
      'Respiratory viruses were detected in 21% of the adult cases.',
      'adult cases | contains | Respiratory viruses | = 21%',
    ],
    ['Independent risk factors for death were age and sepsis.', 'age and sepsis | predicts | death'],
    ['The oil exhibited strong antibacterial activity against S. aureus.', 'oil | inhibits | S. aureus'],
    [
      'Contamination decreased from 88% to 6% after the introduction of the device.',
      'introduction of the device | decreases | Contamination | = from 88% to 6%',
    ],
    ['Laymen were more likely to suffer from hepatitis than priests.', 'Laymen | increases | hepatitis | vs priests'],
    ['The oil was found to inhibit the growth of yeasts.', 'oil | inhibits | growth of yeasts'],
    [
      'The yield of the roots in summer was higher than that in winter.',
      'summer | increases | yield of the roots | vs winter',
    ],
    ['The risk was lower in group A than in group B.', 'group A | decreases | risk | vs group B'],
    [
      'Users had a significantly lower risk of stroke (HR 0.8) and a significantly higher risk of falls.',
      'Users | decreases | risk of stroke | = HR 0.8',
    ],
    [
      'The resistance of the cells, measured with a bridge, increased by 5% as compared to the old cells, as shown in Fig. 2.',
      'cells | increases | resistance | vs old cells | = 5%',
    ],
    ['The holiday reduced the infections and ultimately delayed the epidemic.', 'holiday | decreases | infections'],
    [
      'Having more than six years of experience was associated with knowledge.',
      'Having more than six years of experience | associated | knowledge',
    ],
    [
      'Compared with healthy trees, sick ones had lower amounts of oil, including valencene.',
      'sick ones | decreases | amounts of oil | vs healthy trees',
    ],
    [
      'Titers were found to be higher in fatal cases than in survivors.',
      'fatal cases | increases | Titers | vs survivors',
    ],
    [
      'ANOVA revealed that the thickness was reduced in old mice compared to that in young mice.',
      'old mice | decreases | thickness | vs young mice',
    ],
    [
      'Positive staining for bacilli was associated with exposure.',
      'Positive staining for bacilli | associated | exposure',
    ],
    [
      'The number of genes within each gene family was associated with complexity.',
      'number of genes within each gene family | associated | complexity',
    ],
    [
      'Condom use reduced the prevalence in the overall population by 0.11%.',
      'Condom use | decreases | prevalence | in the overall population | = 0.11%',
    ],
    [
      'Employed people had higher scores than unemployed people did.',
      'Employed people | increases | scores | vs unemployed people',
    ],
    [
      'Infection induces production of cytokines and causes injury to cells.',
      'Infection | increases | production of cytokines',
    ],
    [
      'There was no difference between ADF and placebo in terms of the complication rate.',
      'ADF | no difference | complication rate | vs placebo',
    ],
    ['Nurses had the highest level of fear (60.6%).', 'Nurses | increases | level of fear | = 60.6%'],
    ['The lowest levels of expression were observed in poplar.', 'poplar | decreases | levels of expression'],
    [
      'The total association between worry and flourishing was significant (p < 0.001).',
      'worry | associated | flourishing | = p < 0.001',
    ],
    [
      'There was a weak relationship between worry and self-reported health (p < 0.001).',
      'worry | associated | self-reported health | = p < 0.001',
    ],
    ['Men had better survival than women.', 'Men | increases | survival | vs women'],
    [
      'Sawfly oviposition on pine significantly affected transcripts.',
      'Sawfly oviposition on pine | associated | transcripts',
    ],
    ['In mutant plants, the gene was not induced by mites.', 'mites | no difference | gene | in mutant plants'],
    ['We detected a significant association of genotype with mortality.', 'genotype | associated | mortality'],
    [
      'A negative correlation between phenolics and leaf N was found (p < 0.05).',
      'phenolics | associated | leaf N | = p < 0.05',
    ],
    ['Genotype significantly influences mortality.', 'Genotype | associated | mortality'],
    [
      'A significant increase in weight was observed in treated rats compared with untreated ones.',
      'treated rats | increases | weight | vs untreated ones',
    ],
    ['JA, SA and ABA genes were also induced by feeding.', 'feeding | increases | JA, SA and ABA genes'],
    [
      'Thinning and girdling increased TSS compared to the control.',
      'Thinning and girdling | increases | TSS | vs control',
    ],
    [
      'Old clones had lower yields after heat when compared to young clones.',
      'Old clones | decreases | yields after heat | vs young clones',
    ],
    [
      'Expression of SdL7H resulted in a decrease in the amount of oil.',
      'Expression of SdL7H | decreases | amount of oil',
    ],
    ['Women were found to have fewer falls than men.', undefined],
    ['The production of (+)-valencene was enhanced by the enzyme.', 'enzyme | increases | production of (+)-valencene'],
  ] as const)
    assert.equal(read(sentence), finding, sentence);
});

test('a part ends at whole words, not within one, nor at the colon of a ratio', () => {
  assert.equal(
    read('Anxiety was associated with decreased reporting of eventual harm (p = 0.005).'),
    'Anxiety | associated | decreased reporting of eventual harm | = p = 0.005',
  );
  assert.equal(
    read('The emission was reduced by low red : far-red light.'),
    'low red : far-red light | decreases | emission',
  );
  assert.equal(
    read('The haze decreases the dispersion of smoke and prolongs the time of reaction.'),
    'haze | decreases | dispersion of smoke',
  );
  assert.equal(
    read('There was no relationship between worry and sadness or between worry and distress.'),
    'worry | no difference | sadness',
  );
  assert.equal(
    read('The genome size of ferns is larger than that of mosses, hornworts and algae.'),
    'ferns | increases | genome size | vs mosses, hornworts and algae',
  );
  assert.equal(
    read('Expression was not activated by drought in monocots and ferns.'),
    'drought in monocots and ferns | no difference | Expression',
  );
});

test('a share of a group stands for the group', () => {
  assert.equal(
    read('Twelve of the mothers had a higher rate of fever than that in the other group.'),
    'mothers | increases | rate of fever | vs other group',
  );
});

test('what an instrument shows, what a file holds and what a model is made of are no findings', () => {
  for (const sentence of [
    'GC-MS showed an increase in stigmasterol when compared to WT.',
    'Real-time PCR showed an increase in LOX compared with the control.',
    'The model employed here consisted of a system of equations.',
    'The FASTA headers contain the species.',
    'Survey D contained measures of stress.',
    'More than half of the genome is composed of genes.',
    'The results also show a higher efficiency than those before.',
    'Several algorithms predict Dim1B to possess a transit peptide.',
    'A reduction in the share was observed after comparing both periods.',
    'The pooled hazard ratios were 1.54 for survival and 1.43 for relapse (95% CI 1.2 to 2.0).',
    'The number of pixels was then correlated with the dust.',
    'The highest and lowest mean scores were related to the first scale.',
    'Men had higher levels of anxiety (p = 0.056) and depression (p = 0.04) than women.',
    'The subjects had lower heart rates when wearing masks than when wearing respirators.',
    'Mean costs were similar between the trials at US $6.53 in Trial 1 and US $5.56 in Trial 2.',
    'The content of catechins increases by sucrose for 7 d and the accumulation increases 7-fold in stems.',
    'The group with DMC shows a value because pure DMC has a lower viscosity than EC.',
    'The oil induced an improved level of DNA.',
    'The combination results in a marked reduction of resistance.',
    'Seventy percent of patients were linked to care.',
    'Together the seven viruses encode five predicted proteins.',
    'The 2-methylfuran showed an increase in contaminated grains at day 2.',
    'One crucial issue is related to the angle of the leptons.',
    'An increase in terpenes indicates an increase in flux upon suppression of the pathway.',
  ])
    assert.equal(read(sentence), undefined, sentence);
});

test('more or less of something with, in or by something else', () => {
  for (const [sentence, finding] of [
    [
      'A significantly higher number of spores was observed in wet soil than in dry soil (p < 0.01).',
      'wet soil | increases | number of spores | vs dry soil | = p < 0.01',
    ],
    ['Worry did not increase in the trained nurses.', 'trained nurses | no difference | Worry'],
    [
      'The level of anxiety decreased as physical activity increased.',
      'physical activity | decreases | level of anxiety',
    ],
    [
      'The double mutant yielded 60% higher limonene levels than the parent.',
      'double mutant | increases | limonene levels | vs parent | = 60%',
    ],
    ['The titer was significantly higher in fatal cases (p < 0.01).', 'fatal cases | increases | titer | = p < 0.01'],
    [
      'The enzyme activity increased with increasing salt, and higher doses inhibited the activity.',
      'salt | increases | enzyme activity\nhigher doses | inhibits | activity',
    ],
    ['Worry and sadness were positively correlated (r = 0.4).', 'Worry | associated | sadness | = r = 0.4'],
    [
      'Those with anger were less likely to report floods than those without.',
      'Those with anger | decreases | floods | vs those without',
    ],
  ] as const)
    assert.equal(read(sentence), finding, sentence);
});
